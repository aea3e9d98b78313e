package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// AcceptByDegree accepts or rejects the moves of n walkers by the Metropolis-Hastings rule. Follow has moved them from
// Previous[i]; a walker whose move is rejected returns to it. It is
//
//	u, v := Previous[i], Vertex[i]
//	if Stays(Key[i], term, degree(u), degree(v)) {
//		Vertex[i], out[i*stride], Edge[i] = u, u, graph.NoEdge
//	}
//
// for all walkers that have not ended. A vertex without edges counts as one of degree 1; a move to it is accepted in both
// cases.
func (t *Tables) AcceptByDegree(w *Walkers, n int, term uint64, out unsafe.Pointer, stride uintptr) {
	for i := range n {
		u, v := w.Previous[i], w.Vertex[i]
		if v == graph.None {
			continue
		}
		_, here := t.row(u)
		_, there := t.row(v)
		if Stays(w.Key[i], term, here, there) {
			v, w.Edge[i] = u, graph.NoEdge
		}
		w.Vertex[i] = v
		*(*uint32)(unsafe.Add(out, uintptr(i)*stride)) = v
	}
}

// Stays reports whether the Metropolis-Hastings rule rejects a move from a vertex of here edges to one of there edges, by the word
// of a term.
func Stays(key, term, here, there uint64) bool {
	r, _ := rng.Below(rng.Mix(key^term), there)
	return r >= here
}
