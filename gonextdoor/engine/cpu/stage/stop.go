package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// Traces is where walks of unknown length are written: rows of Width vertices, a power of two, so that a place tells
// when its row is full.
type Traces struct {
	Vertices  unsafe.Pointer
	Last      uint32 // Width-1
	Threshold uint64 // a walk stops when its fraction lies below
}

// Stop moves n walkers along their choices, drops those that stop and closes the gaps in Key, Term, Row and Vertex. It
// is
//
//	v := end(Position[i], Fraction[i])
//	trace[Row[i]] = v
//	switch row := Row[i] + 1; {
//	case v == None || Accept[i] < threshold: Event[dead++] = row
//	case row is the first of the next row:   FullX[full++] = X of the walker
//	default:                                 the walker is kept, one step on
//	}
//
// and prefetches the vertices' records.
func (t *Tables) Stop(w *Walkers, n int, tr *Traces) (alive, dead, full int) {
	switch {
	case !t.assembly:
		return t.stop(w, n, tr)
	case t.Slots == nil:
		return stopIndex(t, w, n, tr)
	default:
		return stopSlot(t, w, n, tr)
	}
}

func (t *Tables) stop(w *Walkers, n int, tr *Traces) (alive, dead, full int) {
	for i := range n {
		v, row := t.end(w.Position[i], w.Fraction[i]), w.Row[i]
		*(*uint32)(unsafe.Add(tr.Vertices, uintptr(row)*4)) = v
		row++
		switch {
		case v == graph.None || uint64(w.Accept[i]) < tr.Threshold:
			w.Event[dead] = row
			dead++
		case row&tr.Last == 0:
			w.FullKey[full], w.FullTerm[full], w.FullRow[full], w.FullVertex[full] = w.Key[i], w.Term[i]+Step, row, v
			full++
		default:
			w.Key[alive], w.Term[alive], w.Row[alive], w.Vertex[alive] = w.Key[i], w.Term[i]+Step, row, v
			alive++
		}
	}
	t.Prefetch(w.Vertex[:alive])
	return alive, dead, full
}
