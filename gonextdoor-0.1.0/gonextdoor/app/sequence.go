package app

// Sequence describes the operations of one sample that wait for one another on a GPU, where a group of threads makes the
// sample. The threads share all other operations.
type Sequence struct {
	Kind    string  // of samples, if the costs of an app depend on its parameters; "": they do not
	Threads int     // of the group; 0: the number follows from that of the operations
	Steps   float64 // steps, layers or hops, each of which needs the vertices of the one before
	Choices float64 // choices that are made one after another
}

// Grouped is an app of whose samples a group of threads makes each on a GPU.
type Grouped interface {
	App
	// Sequence describes one sample. It is false if a thread makes each sample, or several of its walks.
	Sequence(roots int, on Size) (Sequence, bool)
}
