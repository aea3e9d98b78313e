package growth

import "gonextdoor/gonextdoor/app"

// columns are choices of one step, one slice per field: the arguments of a hook call. Entry i of every slice describes
// choice i. The fields match those of hook.Block, through which compiled hooks read the slices by address.
type columns struct {
	step  int
	roots int       // roots per sample
	views []app.Row // the samples so far; view indexes them

	view    []uint32 // index of the sample in views
	row     []uint64 // place of the sample in the run
	transit []uint32 // vertex that is expanded, or graph.None
	prev    []uint32 // vertex that the transit was reached from, or graph.None
	reached []uint64 // position of the edge that the transit was reached by, or graph.NoEdge
	slot    []uint32 // number of the pick, if the choice makes several
	key     []uint64 // rng.Key of the choice
	words   []uint64 // slot of the hook's word 0 under key
	edge    []uint64 // position of the candidate, or graph.NoEdge
	dst     []uint32 // end point of the candidate, or graph.None

	// The indices of reached and edge in index.TemporalRows, if the program has Follows.
	reachedInTime, edgeInTime []uint64

	// Filled by hookCaller for compiled hooks that read them. described tells that they are.
	described bool
	size      []uint32 // vertices of the sample after its roots
	rootCount []uint32
	vertices  []uint64 // address of the sample's vertices
	ends      []uint64 // address of the sample's step ends
}

// newColumns returns columns with capacity for n choices, in two allocations.
func newColumns(n int) columns {
	block32, block64 := make([]uint32, 7*n), make([]uint64, 9*n)
	next32 := func() (s []uint32) { s, block32 = block32[:n:n], block32[n:]; return s }
	next64 := func() (s []uint64) { s, block64 = block64[:n:n], block64[n:]; return s }
	return columns{
		view: next32(), transit: next32(), prev: next32(), slot: next32(), dst: next32(), size: next32(), rootCount: next32(),
		row: next64(), key: next64(), words: next64(), edge: next64(), vertices: next64(), ends: next64(), reached: next64(),
		reachedInTime: next64(), edgeInTime: next64(),
	}
}

// capacity returns the number of choices that fit.
func (c *columns) capacity() int { return len(c.view) }

// useStepOf sets the step and the samples to those of from, whose choices are then copied with take.
func (c *columns) useStepOf(from *columns) {
	c.step, c.roots, c.views, c.described = from.step, from.roots, from.views, false
}

// take copies choice i of from into choice k, except for the candidate, the slot and the words.
func (c *columns) take(k int, from *columns, i int) {
	c.view[k], c.row[k], c.key[k] = from.view[i], from.row[i], from.key[i]
	c.transit[k], c.prev[k], c.reached[k] = from.transit[i], from.prev[i], from.reached[i]
	c.reachedInTime[k] = from.reachedInTime[i]
}

// begin starts a step of n choices, all of which have their words at the same slot.
func (c *columns) begin(step, n int, words uint64) {
	c.step = step
	c.words[0] = words
	for filled := 1; filled < n; filled *= 2 { // copy stores more bytes per instruction than a loop over elements
		copy(c.words[filled:n], c.words[:filled])
	}
}

// changeSamples makes the next call of a compiled hook describe the samples again.
func (c *columns) changeSamples() { c.described = false }
