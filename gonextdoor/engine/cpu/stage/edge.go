package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// Resolve computes the edges that n walkers are about to follow. Call it before the stage that moves the walkers. It is
//
//	Edge[i] = Position[i]                                    // if the choice is the edge itself
//	Edge[i] = first of row(Vertex[i]) + slot.AliasPosition   // if the choice is the alias of the slot
//	Edge[i] = graph.NoEdge                                   // if the choice leads to None
//
// and prefetches the ids of the edges.
func (t *Tables) Resolve(w *Walkers, n int) {
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			w.Edge[i] = resolve(t, w, i)
		}
		if !t.pure {
			t.EdgeIDs.prefetch(w.Edge[lo:hi])
		}
	}
}

// resolve is Resolve for walker i.
func resolve(t *Tables, w *Walkers, i int) uint64 {
	position := w.Position[i]
	switch {
	case t.Slots == nil && position == t.Edges:
		return graph.NoEdge
	case t.Slots == nil:
		return position
	}
	s := t.slot(position)
	switch {
	case s.Vertex == graph.None:
		return graph.NoEdge
	case w.Fraction[i] < s.Threshold:
		return position
	}
	first, _ := t.row(w.Vertex[i])
	return first + uint64(s.AliasPosition)
}

// EdgeIDs holds the addresses of a graph's edge ids.
type EdgeIDs struct {
	IDs   unsafe.Pointer // 32-bit; nil: see IDs64
	IDs64 unsafe.Pointer // 64-bit; nil: the id of an edge is its position
}

// ID returns the id of an edge as it is stored in results, which is -1 for graph.NoEdge.
func (e *EdgeIDs) ID(edge uint64) int64 {
	switch {
	case edge == graph.NoEdge:
		return -1
	case e.IDs != nil:
		return int64(*(*uint32)(unsafe.Add(e.IDs, uintptr(edge)*4)))
	case e.IDs64 != nil:
		return *(*int64)(unsafe.Add(e.IDs64, uintptr(edge)*8))
	default:
		return int64(edge)
	}
}

// prefetch prefetches the ids of edges.
func (e *EdgeIDs) prefetch(positions []uint64) {
	if e.IDs != nil {
		PrefetchIndices((*uint32)(e.IDs), positions)
	} else if e.IDs64 != nil {
		PrefetchWords((*uint64)(e.IDs64), positions)
	}
}
