package walk

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// computedBias computes the biases of edges for the apps of the driver, and decides when a walk stops. Only the fields of the
// app's kind of bias are set. Threads share it and do not modify it.
type computedBias struct {
	t      *stage.Tables
	g      *graph.Graph
	biases []uint32 // of the edge weights; nil: unused

	rowTries []uint8 // of index.RowTries; nil: program.Tries
	degree   uint64  // upper bound of the degrees, if the bias of an edge is the degree of its end point; 0: unused

	labels []int32 // of the edges; nil: unused
	path   []int32 // the label of each step, repeated

	secondOrder bool // the weight is multiplied by the second-order bias
	order       app.SecondOrder
	edges       *stage.Edges

	stop uint64 // a walk stops if the upper 32 bits of a step's word are less; 0: never
}

// newComputedBias returns the computed bias of a plan's app.
func newComputedBias(p plan.Plan, g *graph.Graph, t *stage.Tables, b plan.Batch, j *job.Job) (r computedBias, err error) {
	r = computedBias{t: t, g: g}
	bias := p.App.(app.Computing).ComputedBias()
	if r.stop = bias.Threshold; bias.Kind != app.BiasDegree {
		r.biases = g.Biases
	}
	switch bias.Kind {
	case app.BiasWeight, app.BiasStopping:
		r.rowTries, err = index.RowTries(g, graph.Options{Threads: b.Threads, Job: j})
	case app.BiasDegree:
		r.degree = app.LargestDegree(g)
	case app.BiasSecondOrder:
		r.secondOrder, r.order = true, bias.Order
		options := graph.Options{Threads: b.Threads, Job: j}
		r.edges, err = stage.NewEdges(g, p.Work(index.EdgeSetTable, b.Roots.Samples()), options)
		if refuse.KindOf(err) == refuse.KindMemory { // without memory for a set, rows are searched
			r.edges, err = new(stage.Edges), nil
		}
	case app.BiasLabelled:
		r.labels, r.path = g.Labels, bias.Labels
	}
	return r, err
}

// stops reports whether a walk ends before step s.
func (r *computedBias) stops(key uint64, s int) bool {
	return r.stop > 0 && rng.Key(key).Word(rng.Slot(uint64(s), program.HookTry))>>32 < r.stop
}

// decide reads the candidates that n walkers propose and accepts or rejects them.
func (r *computedBias) decide(w *proposers, n int) {
	// 1. Prefetch the weights and labels of the edges.
	if r.biases != nil {
		stage.PrefetchIndices(unsafe.SliceData(r.biases), w.Position[:n])
	}
	if r.labels != nil {
		stage.PrefetchIndices((*uint32)(unsafe.Pointer(unsafe.SliceData(r.labels))), w.Position[:n])
	}
	// 2. Read the candidates.
	for i, position := range w.Position[:n] {
		w.Candidate[i] = graph.None
		w.Accepted[i] = 0
		if position < r.t.Edges {
			w.Candidate[i] = r.g.Indices[position]
		}
	}
	r.t.Prefetch(w.Candidate[:n])
	// 3. Accept a candidate if its level is less than its bias.
	switch {
	case r.degree > 0:
		r.decideByDegree(w, n)
	case r.secondOrder:
		r.decideSecondOrder(w, n)
	case r.labels == nil:
		for i, position := range w.Position[:n] {
			if position < r.t.Edges {
				w.Accepted[i] = less(uint64(w.Accept[i]), uint64(r.biases[position]))
			}
		}
	default:
		for i, position := range w.Position[:n] {
			if position < r.t.Edges {
				w.Accepted[i] = less(uint64(w.Accept[i]), r.labelled(w.step[i], position))
			}
		}
	}
}

// labelled returns the bias of an edge at a step, in units of 2^-32 of the bound: its weight, or 0 if its label differs from
// the path's.
func (r *computedBias) labelled(step int, position uint64) uint64 {
	if r.labels[position] != r.path[step%len(r.path)] {
		return 0
	}
	return uint64(r.biases[position])
}

// decideByDegree decides by the degrees of the candidates. It computes the proposals again, because a level below a bound
// that is not a power of two depends on all bits of the word.
func (r *computedBias) decideByDegree(w *proposers, n int) {
	for i, v := range w.Candidate[:n] {
		if v == graph.None {
			continue
		}
		_, here := r.t.Row(w.Vertex[i])
		_, level := selector.Propose(rng.Mix(w.Key[i]^w.Term[i]), here, r.degree)
		if level < r.degreeOf(v) {
			w.Accepted[i] = 1
		}
	}
}

// degreeOf returns the degree of v as a bias, at most 2^32-1.
func (r *computedBias) degreeOf(v uint32) uint64 {
	_, degree := r.t.Row(v)
	return min(degree, math.MaxUint32)
}

// decideSecondOrder decides by weights and second-order biases. It looks up an edge only if the decision depends on it.
func (r *computedBias) decideSecondOrder(w *proposers, n int) {
	checks := 0
	for i, position := range w.Position[:n] {
		if position >= r.t.Edges {
			continue
		}
		level, v, previous := uint64(w.Accept[i]), w.Candidate[i], w.Previous[i]
		weight := uint64(r.biases[position])
		switch {
		case previous == graph.None:
			w.Accepted[i] = less(level, weight)
		case v == previous:
			w.Accepted[i] = less(level, app.Product(weight, r.order.Back))
		default:
			near, away := less(level, app.Product(weight, r.order.Near)), less(level, app.Product(weight, r.order.Away))
			w.Accepted[i] = away // Verify inverts the decision on neighbours
			if near != away {
				w.Check[checks] = uint32(i)
				checks++
			}
		}
	}
	if checks > 0 {
		r.t.Verify(&w.Walkers, checks, r.edges)
	}
}

// less returns 1 if level < bias, otherwise 0.
func less(level, bias uint64) uint32 {
	if level < bias {
		return 1
	}
	return 0
}

// weighAll chooses an edge by a reservoir over the complete row of the walker. It returns None if all biases are 0.
func (r *computedBias) weighAll(w *proposers, i int) (v uint32, position uint64) {
	first, end := r.g.Row(w.Vertex[i])
	key := rng.Key(w.Key[i]).Stream(rng.Slot(uint64(w.step[i]), selector.MaxTries)).Key(0)
	held := selector.Reserve{Key: key}
	switch {
	case r.degree > 0:
		for at := first; at < end; at += plan.Group {
			some := r.g.Indices[at:min(at+plan.Group, end)]
			r.t.Prefetch(some)
			for k, v := range some {
				held.Add(int(at-first)+k, r.degreeOf(v))
			}
		}
	case r.secondOrder && w.Previous[i] != graph.None:
		r.weighSecondOrder(&held, &w.lookups, w.Previous[i], first, end)
	case r.labels == nil:
		held.AddAll(0, r.biases[first:end])
	default:
		label := r.path[w.step[i]%len(r.path)]
		for k, l := range r.labels[first:end] {
			if l == label {
				held.Add(k, uint64(r.biases[first+uint64(k)]))
			}
		}
	}
	if held.Held() < 0 {
		return graph.None, graph.NoEdge
	}
	position = first + uint64(held.Held())
	return r.g.Indices[position], position
}

// weighSecondOrder offers the edges [first, end) to a reservoir with their second-order biases. It looks up edges in groups,
// so that their cache misses overlap; lookups is scratch memory for a group.
func (r *computedBias) weighSecondOrder(held *selector.Reserve, lookups *stage.Walkers, previous uint32, first, end uint64) {
	for at := first; at < end; at += plan.Group {
		some := r.g.Indices[at:min(at+plan.Group, end)]
		for k, v := range some {
			lookups.Previous[k], lookups.Candidate[k], lookups.Accepted[k], lookups.Check[k] = previous, v, 0, uint32(k)
		}
		r.t.Verify(lookups, len(some), r.edges)
		for k, v := range some {
			factor := r.order.Away
			switch {
			case v == previous:
				factor = r.order.Back
			case lookups.Accepted[k] == 1:
				factor = r.order.Near
			}
			held.Add(int(at-first)+k, app.Product(uint64(r.biases[at+uint64(k)]), factor))
		}
	}
}
