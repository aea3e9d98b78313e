package plan

import "sync/atomic"

// Roots has the initial vertices of samples: row i begins with those of root (From+i)/Repeat.
type Roots struct {
	Vertices []uint32 // Count*Width vertices, or nil for every vertex of the graph in order
	Count    int      // number of roots, each of Width vertices
	Width    int      // vertices per root
	Repeat   int      // samples per root
	OnDevice uintptr  // address of the vertices on the GPU that runs the plan, or 0; Vertices is empty then
	Drawn    bool     // whether the GPU draws the vertices at random; Vertices is empty then
	From, To int      // of the Count*Repeat rows, those that the batch has, see Batch.Slice; To 0: all

	// OnDevices is OnDevice of each of several GPUs, or nil. A GPU has only the roots of its rows; its address is that at which
	// the first of all roots would be.
	OnDevices []uintptr
}

// Samples returns the number of rows.
func (r Roots) Samples() int {
	if r.To > 0 {
		return r.To - r.From
	}
	return r.Count * r.Repeat
}

// Root returns the number of the root of row i.
func (r Roots) Root(i int) int { return (r.From + i) / r.Repeat }

// Of returns the vertices of row i. If they are not stored, it writes them to scratch, which must have one element.
func (r Roots) Of(i int, scratch []uint32) []uint32 {
	j := r.Root(i)
	if r.Vertices == nil {
		scratch[0] = uint32(j)
		return scratch[:1]
	}
	return r.Vertices[j*r.Width:][:r.Width]
}

// Batch describes the samples of one call. Row i has the id ID(i).
type Batch struct {
	Roots   Roots
	Seed    uint64
	First   uint64   // id of the first sample
	IDs     []uint64 // the id of the sample of each root, which has one; nil: consecutive ids from First. Only the CPU engine reads it
	Threads int      // of the CPU; GOMAXPROCS if below 1
	Edges   bool     // whether the result has the ids of edges
	Order   Order    // of the steps of trees on a GPU, or of walks on several; "": the planner chooses

	FromHost *atomic.Bool // set if the CPU makes samples of a call on devices; nil: not reported
}

// ID returns the id of the sample in a row.
func (b *Batch) ID(row int) uint64 {
	if b.IDs != nil {
		return b.IDs[b.Roots.From+row]
	}
	return b.First + uint64(row)
}
