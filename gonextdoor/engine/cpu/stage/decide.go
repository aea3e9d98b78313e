package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// SecondOrder holds the biases of a second-order walk, in units of 2^-32 of the largest. Low and High are compared first:
// they accept or reject most candidates without an edge lookup.
type SecondOrder struct {
	Back uint64 // bias of the previous vertex
	Low  uint64 // the smaller bias of a neighbour and of a non-neighbour of the previous vertex
	High uint64 // the larger of the two
	Away uint32 // 1 if the non-neighbour's is the larger

	always uint64
}

// NewSecondOrder returns the biases of the previous vertex, of its neighbours and of all other vertices.
func NewSecondOrder(back, near, away uint64) *SecondOrder {
	r := &SecondOrder{Back: back, Low: min(near, away), High: max(near, away), always: 1 << 32}
	if away > near {
		r.Away = 1
	}
	return r
}

// Decide accepts or rejects the candidates of n walkers if this needs no edge lookup. It lists the others, whose decision
// depends on the edge from Previous to Candidate, in Check, and returns their number. It is
//
//	v := end(Position[i], Fraction[i])
//	sure := v == None || Previous[i] == None || Accept[i] < (Back if v == Previous[i], else Low)
//	open := !sure && v != Previous[i] && Accept[i] < High
//	Candidate[i], Accepted[i] = v, sure || open && Away
//
// and prefetches the records of the candidates. An open candidate counts as a non-neighbour until Verify.
func (t *Tables) Decide(w *Walkers, n int, r *SecondOrder) (checks int) {
	switch {
	case !t.assembly:
		return decide(t, w, n, r)
	case t.Slots == nil:
		return decideIndex(t, w, n, r)
	default:
		return decideSlot(t, w, n, r)
	}
}

// decide is Decide in Go. No branch depends on a walker, because the outcomes are random.
func decide(t *Tables, w *Walkers, n int, r *SecondOrder) (checks int) {
	for i := range n {
		v, previous, accept := t.end(w.Position[i], w.Fraction[i]), w.Previous[i], uint64(w.Accept[i])
		back := bit(v == previous)
		other := 1 - back
		sure := bit(v == graph.None) | bit(previous == graph.None) | back&bit(accept < r.Back) | other&bit(accept < r.Low)
		open := (1 - sure) & other & bit(accept < r.High)
		w.Candidate[i], w.Accepted[i] = v, sure|open&r.Away
		w.Check[checks] = uint32(i)
		checks += int(open)
	}
	t.Prefetch(w.Candidate[:n])
	return checks
}

// bit returns 1 for true.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// End holds the result and the length of walks.
type End struct {
	Vertices unsafe.Pointer // of the result
	Term     uint64         // of the step after the last
	Last     uint64         // Next - Term of a walker whose tries at a step were all rejected: Rejected(tries)
}

// Rejected returns Next - Term of a walker after a number of rejected tries at a step.
func Rejected(tries uint64) uint64 { return (rng.Tries - tries) * rng.Gamma }

// Advance moves the walkers whose candidate was accepted and gives the others another try. It lists in Event the walkers
// that have ended or have no try left, and returns their number. It is
//
//	vertices[Out[i]] = Candidate[i]
//	if Accepted[i] == 1 {
//		Previous[i], Vertex[i], Out[i] = Vertex[i], Candidate[i], Out[i]+1
//		Term[i], Next[i] = Next[i], Next[i]+Step
//	} else {
//		Term[i] += Gamma
//	}
func (t *Tables) Advance(w *Walkers, n int, e *End) (events int) {
	if t.assembly {
		return advance(w, n, e)
	}
	for i := range n {
		v := w.Candidate[i]
		*(*uint32)(unsafe.Add(e.Vertices, uintptr(w.Out[i])*4)) = v
		if w.Accepted[i] == 1 {
			w.Previous[i], w.Vertex[i] = w.Vertex[i], v
			w.Out[i]++
			w.Term[i] = w.Next[i]
			w.Next[i] += Step
		} else {
			w.Term[i] += rng.Gamma
		}
		if w.Term[i] == e.Term || w.Next[i]-w.Term[i] == e.Last {
			w.Event[events] = uint32(i)
			events++
		}
	}
	return events
}
