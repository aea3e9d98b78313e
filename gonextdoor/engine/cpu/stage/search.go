package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Edges looks up whether edges exist, for many pairs of vertices at once. Threads may share it.
type Edges struct {
	Set      unsafe.Pointer // slots of index.EdgeSet; nil: rows are searched
	Pairs    uint64         // mask of the bits of a scrambled pair
	Tags     uint64         // mask of the bits of a pair that its tag holds
	Bits     uint64         // of index.EdgeSet
	Shift    uint64         // of index.EdgeSet
	Mirrored uint64         // 1 if (u, v) is an edge whenever (v, u) is one

	set index.EdgeSet
}

// NewEdges returns the lookup of the edges of g. work and options are the arguments of index.EdgeSetOf, which decides whether to
// build a set.
func NewEdges(g *graph.Graph, work int, options graph.Options) (*Edges, error) {
	s, err := index.EdgeSetOf(g, work, options)
	if err != nil {
		return nil, err
	}
	e := &Edges{set: s, Bits: uint64(s.Bits), Shift: uint64(s.Shift), Pairs: 1<<(2*s.Bits) - 1, Tags: 1<<s.Shift - 1}
	if s.Mirrored {
		e.Mirrored = 1
	}
	if len(s.Slots) > 0 {
		e.Set = unsafe.Pointer(unsafe.SliceData(s.Slots))
	}
	return e, nil
}

// Verify looks up the listed candidates and inverts the decision on those that are neighbours. It is
//
//	for _, i := range Check[:checks] {
//		if HasEdge(Previous[i], Candidate[i]) { Accepted[i] ^= 1 }
//	}
func (t *Tables) Verify(w *Walkers, checks int, e *Edges) {
	switch {
	case e.Set == nil:
		search(t, w, checks)
		return
	case t.assembly:
		seek(w, checks, e)
		checks = probe(w, checks, e)
	}
	for _, i := range w.Check[:checks] { // with assembly, only the few pairs whose bucket is full
		if e.set.Has(w.Previous[i], w.Candidate[i]) {
			w.Accepted[i] ^= 1
		}
	}
}

// search is Verify without an edge set: it searches the rows of the previous vertices.
func search(t *Tables, w *Walkers, checks int) {
	for _, i := range w.Check[:checks] {
		first, degree := t.row(w.Previous[i])
		if contains(t, first, degree, w.Candidate[i]) {
			w.Accepted[i] ^= 1
		}
	}
}

// contains reports whether a row of at least one edge has an edge to v, by binary search without data-dependent branches.
func contains(t *Tables, first, degree uint64, v uint32) bool {
	for degree > 1 {
		half := degree / 2
		var skipped uint64
		if t.index(first+half-1) < v {
			skipped = half
		}
		first += skipped
		degree -= half
	}
	return t.index(first) == v
}
