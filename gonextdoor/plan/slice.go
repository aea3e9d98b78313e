package plan

import "slices"

// Slice returns the batch of rows [lo, hi) of b. The samples keep their ids. The result stores the roots of every row
// (Repeat is 1). They are shared with b if b stores one root per row, and copied otherwise.
//
// b.Roots must be readable by the host: neither OnDevice nor Drawn.
func (b Batch) Slice(lo, hi int) Batch {
	r := b.Roots
	var vertices []uint32
	if r.Repeat == 1 && r.Vertices != nil {
		vertices = slices.Clip(r.Vertices[lo*r.Width : hi*r.Width])
	} else {
		vertices = make([]uint32, (hi-lo)*r.Width)
		for i := range hi - lo {
			at := vertices[i*r.Width:][:r.Width]
			copy(at, r.Of(lo+i, at))
		}
	}
	b.Roots = Roots{Vertices: vertices, Count: hi - lo, Width: r.Width, Repeat: 1}
	b.First += uint64(lo)
	return b
}
