package stage

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// ComputedBias computes the biases of edges when a choice needs them. Only the fields of the app's kind of bias are set. Threads share it and do not modify it.
type ComputedBias struct {
	t      *Tables
	g      *graph.Graph
	biases []uint32 // of the edge weights; nil: unused

	degree uint64 // upper bound of the degrees, if the bias of an edge is the degree of its end point; 0: unused

	secondOrder bool // the weight is multiplied by the second-order bias
	order       app.SecondOrder
}

// NewComputedBias returns the computed bias of an app, for the rows of g, of which t are the tables.
func NewComputedBias(t *Tables, g *graph.Graph, bias app.ComputedBias) (r ComputedBias) {
	r = ComputedBias{t: t, g: g}
	if bias.Kind != app.BiasDegree {
		r.biases = g.Biases
	}
	switch bias.Kind {
	case app.BiasDegree:
		r.degree = app.LargestDegree(g)
	case app.BiasSecondOrder:
		r.secondOrder, r.order = true, bias.Order
	}
	return r
}

// SecondOrder reports whether biases depend on the neighbours of the previous vertex.
func (r *ComputedBias) SecondOrder() bool { return r.secondOrder }

// Stops reports whether a walk with computed choices ends before step s, with a probability in units of 2^-32.
func Stops(key uint64, s int, threshold uint64) bool {
	return threshold > 0 && rng.Key(key).Word(rng.Slot(uint64(s), program.HookTry))>>32 < threshold
}

// Tries returns the number of tries of a choice at v.
func (r *ComputedBias) Tries(v uint32) uint64 {
	_, degree := r.t.Row(v)
	return program.Tries(degree)
}

// Decide reads the candidates that n walkers proposed and accepts or rejects them. It accepts graph.None, at which a walk
// ends. It lists the candidates whose decision depends on the edge from Previous to Candidate in Check, and returns their
// number; they count as non-neighbours until Verify. steps has the step of each walker.
func (r *ComputedBias) Decide(w *Walkers, n int) (checks int) {
	// 1. Prefetch the weights of the edges.
	if r.biases != nil {
		PrefetchIndices(unsafe.SliceData(r.biases), w.Position[:n])
	}
	// 2. Read the candidates.
	for i, position := range w.Position[:n] {
		w.Candidate[i] = graph.None
		w.Accepted[i] = 1
		if position < r.t.Edges {
			w.Candidate[i] = r.g.Indices[position]
		}
	}
	r.t.Prefetch(w.Candidate[:n])
	// 3. Accept a candidate if its level is less than its bias.
	if r.secondOrder {
		return r.decideSecondOrder(w, n)
	}
	r.decideByDegree(w, n)
	return 0
}

// decideByDegree decides by the degrees of the candidates. It computes the proposals again, because a level below a bound
// that is not a power of two depends on all bits of the word.
func (r *ComputedBias) decideByDegree(w *Walkers, n int) {
	for i, v := range w.Candidate[:n] {
		if v == graph.None {
			continue
		}
		_, here := r.t.Row(w.Vertex[i])
		_, level := selector.Propose(rng.Mix(w.Key[i]^w.Term[i]), here, r.degree)
		w.Accepted[i] = bit(level < r.degreeOf(v))
	}
}

// degreeOf returns the degree of v as a bias, at most 2^32-1.
func (r *ComputedBias) degreeOf(v uint32) uint64 { return min(r.t.Degree(v), math.MaxUint32) }

// decideSecondOrder decides by weights and second-order biases.
func (r *ComputedBias) decideSecondOrder(w *Walkers, n int) (checks int) {
	for i, position := range w.Position[:n] {
		if position >= r.t.Edges {
			continue
		}
		level, v, previous := uint64(w.Accept[i]), w.Candidate[i], w.Previous[i]
		weight := uint64(r.biases[position])
		switch {
		case previous == graph.None:
			w.Accepted[i] = bit(level < weight)
		case v == previous:
			w.Accepted[i] = bit(level < app.Product(weight, r.order.Back))
		default:
			near, away := bit(level < app.Product(weight, r.order.Near)), bit(level < app.Product(weight, r.order.Away))
			w.Accepted[i] = away // Verify inverts the decision on neighbours
			if near != away {
				w.Check[checks] = uint32(i)
				checks++
			}
		}
	}
	return checks
}

// WeighAll chooses an edge at a step by a reservoir over the complete row of v, and returns its position, or graph.NoEdge if
// all biases are 0. near returns a 1 for each of at most plan.Group vertices that is a neighbour of previous, otherwise 0; it is
// only called for biases of second order, if there is a previous vertex.
func (r *ComputedBias) WeighAll(key uint64, v, previous uint32, step int, near func(some []uint32) []uint32) uint64 {
	first, degree := r.t.Row(v)
	end := first + degree
	held := selector.Reserve{Key: rng.Key(key).Stream(rng.Slot(uint64(step), selector.MaxTries)).Key(0)}
	switch {
	case r.degree > 0:
		for at := first; at < end; at += plan.Group {
			some := r.g.Indices[at:min(at+plan.Group, end)]
			r.t.Prefetch(some)
			for k, x := range some {
				held.Add(int(at-first)+k, r.degreeOf(x))
			}
		}
	case previous != graph.None:
		r.weighSecondOrder(&held, previous, first, end, near)
	default:
		held.AddAll(0, r.biases[first:end])
	}
	if held.Held() < 0 {
		return graph.NoEdge
	}
	return first + uint64(held.Held())
}

// weighSecondOrder offers the edges [first, end) to a reservoir with their second-order biases. It asks for the neighbours of
// the previous vertex in groups, so that the cache misses of look-ups overlap.
func (r *ComputedBias) weighSecondOrder(
	held *selector.Reserve, previous uint32, first, end uint64, near func(some []uint32) []uint32,
) {
	for at := first; at < end; at += plan.Group {
		some := r.g.Indices[at:min(at+plan.Group, end)]
		is := near(some)
		for k, v := range some {
			factor := r.order.Away
			switch {
			case v == previous:
				factor = r.order.Back
			case is[k] == 1:
				factor = r.order.Near
			}
			held.Add(int(at-first)+k, app.Product(uint64(r.biases[at+uint64(k)]), factor))
		}
	}
}
