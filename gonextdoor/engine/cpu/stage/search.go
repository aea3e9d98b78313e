package stage

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// Edges answers whether an edge leads from one vertex to another, for many pairs at once.
type Edges struct {
	Words    unsafe.Pointer // of graph.EdgeFilter; nil: none
	NumWords uint64
	Mirrored bool // (u, v) is an edge where (v, u) is one: the shorter of the two rows is searched
}

// NewEdges gives the questions for a graph's edges.
func NewEdges(g *graph.Graph) (*Edges, error) {
	f, err := g.EdgeFilter()
	return &Edges{unsafe.Pointer(unsafe.SliceData(f.Words)), uint64(len(f.Words)), f.Mirrored}, err
}

// Verify looks the listed candidates up and turns the fate of those that are neighbours. It is
//
//	for _, i := range Check[:checks] {
//		if HasEdge(Previous[i], Candidate[i]) { Accepted[i] ^= 1 }
//	}
func (t *Tables) Verify(w *Walkers, checks int, e *Edges) {
	if e.Words != nil {
		checks = t.probe(w, checks, e)
	}
	t.search(w, checks, e)
}

// probe keeps in Check the pairs that the filter knows nothing of.
func (t *Tables) probe(w *Walkers, checks int, e *Edges) (left int) {
	f := graph.EdgeFilter{Mirrored: e.Mirrored}
	for lo := 0; lo < checks; lo += block {
		hi := min(lo+block, checks)
		for j, i := range w.Check[lo:hi] {
			w.Hash[lo+j] = f.Hash(w.Previous[i], w.Candidate[i])
			w.Edge[lo+j], _ = bits.Mul64(w.Hash[lo+j], e.NumWords)
		}
		t.prefetchWords(e.Words, w.Edge[lo:hi])
	}
	for j, i := range w.Check[:checks] {
		mask := graph.FilterMask(w.Hash[j])
		w.Check[left] = i
		if *(*uint64)(unsafe.Add(e.Words, uintptr(w.Edge[j])*8))&mask == mask {
			left++
		}
	}
	return left
}

// search looks through the rows.
func (t *Tables) search(w *Walkers, checks int, e *Edges) {
	for _, i := range w.Check[:checks] {
		u, v := w.Previous[i], w.Candidate[i]
		first, degree := t.row(u)
		if e.Mirrored {
			if other, d := t.row(v); d < degree {
				first, degree, v = other, d, u
			}
		}
		if t.contains(first, degree, v) {
			w.Accepted[i] ^= 1
		}
	}
}

// contains says whether a row of at least one edge holds v. The search has no branch that depends on what it reads.
func (t *Tables) contains(first, degree uint64, v uint32) bool {
	for degree > 1 {
		half := degree / 2
		var behind uint64
		if t.index(first+half-1) < v {
			behind = half
		}
		first += behind
		degree -= half
	}
	return t.index(first) == v
}
