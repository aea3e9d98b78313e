package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Rule is a second-order rule in units of 2^-32 of its largest bias, in the order in which it decides: most candidates
// are taken or refused whether they are neighbours or not.
type Rule struct {
	Back uint64 // the bias of going back
	Low  uint64 // the lesser of a neighbour's and a stranger's
	High uint64 // the greater
	Away uint32 // 1 if the stranger's is the greater

	always uint64
}

// NewRule puts the biases of going back, to a neighbour and to a stranger in their places.
func NewRule(back, near, away uint64) *Rule {
	r := &Rule{Back: back, Low: min(near, away), High: max(near, away), always: 1 << 32}
	if away > near {
		r.Away = 1
	}
	return r
}

// Decide looks at the candidates that n walkers propose, and lists in Check the places of those whose fate hangs on an
// edge from Previous to Candidate. It is
//
//	v := end(Position[i], Fraction[i])
//	sure := v == None || Previous[i] == None || Accept[i] < (Back if v == Previous[i], else Low)
//	open := !sure && v != Previous[i] && Accept[i] < High
//	Candidate[i], Accepted[i] = v, sure || open && Away
//
// and prefetches the candidates' records: for now, an open one counts as a stranger.
func (t *Tables) Decide(w *Walkers, n int, r *Rule) (checks int) {
	switch {
	case !t.assembly:
		return t.decide(w, n, r)
	case t.Slots == nil:
		return decideIndex(t, w, n, r)
	default:
		return decideSlot(t, w, n, r)
	}
}

func (t *Tables) decide(w *Walkers, n int, r *Rule) (checks int) {
	for i := range n {
		v, previous, accept := t.end(w.Position[i], w.Fraction[i]), w.Previous[i], uint64(w.Accept[i])
		w.Candidate[i], w.Accepted[i] = v, 0
		switch {
		case v == graph.None || previous == graph.None:
			w.Accepted[i] = 1
		case v == previous:
			if accept < r.Back {
				w.Accepted[i] = 1
			}
		case accept < r.Low:
			w.Accepted[i] = 1
		case accept < r.High:
			w.Accepted[i] = r.Away
			w.Check[checks] = uint32(i)
			checks++
		}
	}
	t.Prefetch(w.Candidate[:n])
	return checks
}

// End is where and when walks end.
type End struct {
	Vertices unsafe.Pointer // the result's
	Term     uint64         // of the step behind the last
}

// exhausted is how far a walker's Term lies behind Next when all tries of a step were refused.
const exhausted = (rng.Tries - selector.MaxTries) * rng.Gamma & (1<<64 - 1)

// Advance moves the walkers whose candidate was accepted, gives the others a further try, and lists in Event those that
// have ended and those that have no try left. It is
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
		if w.Term[i] == e.Term || w.Next[i]-w.Term[i] == exhausted {
			w.Event[events] = uint32(i)
			events++
		}
	}
	return events
}
