package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// Traces is where walks of unknown length are written: rows of Last+1 places, a power of two, so that a place tells when
// its row is full. The first place of a row holds the place behind its last vertex.
type Traces struct {
	Vertices  unsafe.Pointer
	Last      uint32
	Threshold uint64 // a walk stops when its fraction lies below
}

// Stop moves n walkers along their choices, drops those that stop and closes the gaps in Key, Term, Row and Vertex. It
// is
//
//	v, place := end(Position[i], Fraction[i]), Row[i]
//	trace[place] = v
//	if v != None { place++ }
//	trace[first of place's row] = place
//	switch {
//	case v == None || Accept[i] < threshold: the walker is dropped
//	case the row is full:                    FullX[full++] = X of the walker, one step on
//	default:                                 the walker is kept, one step on
//	}
//
// and prefetches the vertices' records.
func (t *Tables) Stop(w *Walkers, n int, tr *Traces) (alive, full int) {
	switch {
	case !t.assembly:
		return t.stop(w, n, tr)
	case t.Slots == nil:
		return stopIndex(t, w, n, tr)
	default:
		return stopSlot(t, w, n, tr)
	}
}

func (t *Tables) stop(w *Walkers, n int, tr *Traces) (alive, full int) {
	trace := (*uint32)(tr.Vertices)
	for i := range n {
		v, place := t.end(w.Position[i], w.Fraction[i]), w.Row[i]
		*at(trace, uint64(place)) = v
		row := at(trace, uint64(place&^tr.Last))
		if *row = place; v == graph.None {
			continue
		}
		place++
		*row = place
		switch {
		case uint64(w.Accept[i]) < tr.Threshold:
		case place&tr.Last == 0:
			w.FullKey[full], w.FullTerm[full], w.FullRow[full], w.FullVertex[full] = w.Key[i], w.Term[i]+Step, place, v
			full++
		default:
			w.Key[alive], w.Term[alive], w.Row[alive], w.Vertex[alive] = w.Key[i], w.Term[i]+Step, place, v
			alive++
		}
	}
	t.Prefetch(w.Vertex[:alive])
	return alive, full
}
