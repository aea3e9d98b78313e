package plan

// Thresholds and sizes. None of them can change a result.
const (
	// Group is how many walkers an engine keeps in flight in one loop.
	Group = 256
	// Chunk is how many samples a thread takes at a time.
	Chunk = 4096
)
