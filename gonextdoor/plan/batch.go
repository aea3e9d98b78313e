package plan

// Roots are the initial vertices of samples: row i begins with those of root i/Repeat.
type Roots struct {
	Vertices []uint32 // Count*Width of them, or nil: every vertex in order
	Count    int      // roots (each of Width vertices)
	Width    int      // vertices per root
	Repeat   int      // samples per root
	OnDevice uintptr  // where the vertices lie on the GPU that runs the plan, or 0; Vertices is empty then
	Drawn    bool     // they are random ones that the GPU draws; Vertices is empty then
}

// Samples gives the number of rows.
func (r Roots) Samples() int { return r.Count * r.Repeat }

// Of gives the roots of row i. scratch is used where they are not stored; it must have room for one.
func (r Roots) Of(i int, scratch []uint32) []uint32 {
	j := i / r.Repeat
	if r.Vertices == nil {
		scratch[0] = uint32(j)
		return scratch[:1]
	}
	return r.Vertices[j*r.Width:][:r.Width]
}

// Batch says which samples are wanted: row i has the id First+i.
type Batch struct {
	Roots   Roots
	Seed    uint64
	First   uint64
	Threads int
	Edges   bool // the edges' ids too
}
