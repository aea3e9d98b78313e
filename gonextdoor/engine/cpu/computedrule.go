package cpu

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// rule says what a computed bias is, and when a walk stops.
type rule struct {
	t      *stage.Tables
	g      *graph.Graph
	biases []uint32 // the weights'; nil: there are none
	degree uint64   // the bound of degrees as biases; 0: they are none

	labels []int32 // nil: any will do
	path   []int32 // the label of each step

	second bool // the bias is multiplied by that of second order
	order  app.SecondOrder
	edges  *stage.Edges

	stop uint64 // a walk stops where the top 32 bits of a step's word lie below
}

func newRule(p plan.Plan, g *graph.Graph, t *stage.Tables, b plan.Batch, j *job.Job) (r rule, err error) {
	r = rule{t: t, g: g}
	switch a := p.App.(type) {
	case *app.DeepWalk:
		if a.ByDegree() {
			r.degree = app.LargestDegree(g)
			return r, nil
		}
		r.biases = g.Biases
	case *app.PPR:
		r.biases, r.stop = g.Biases, a.Threshold()
	case *app.Node2Vec:
		r.biases, r.second, r.order = g.Biases, true, a.SecondOrder()
		hands := graph.Options{Threads: b.Threads, Job: j}
		r.edges, err = stage.NewEdges(g, b.Roots.Samples()*a.Length*plan.SetPays, hands)
		if refuse.KindOf(err) == refuse.KindMemory { // where there is no room for a set, rows are searched
			r.edges, err = new(stage.Edges), nil
		}
	case *app.MetaPath:
		r.biases, r.labels, r.path, r.stop = g.Biases, g.Labels, a.Labels, a.Threshold()
	}
	return r, err
}

// stops says whether a walk ends before step s.
func (r *rule) stops(key uint64, s int) bool {
	return r.stop > 0 && rng.Key(key).Word(rng.Slot(uint64(s), app.HookTry))>>32 < r.stop
}

// judge reads the candidates that n walkers propose, and says which are accepted.
func (r *rule) judge(w *triers, n int) {
	if r.biases != nil {
		stage.PrefetchIndices(unsafe.SliceData(r.biases), w.Position[:n])
	}
	if r.labels != nil {
		stage.PrefetchIndices((*uint32)(unsafe.Pointer(unsafe.SliceData(r.labels))), w.Position[:n])
	}
	for i, position := range w.Position[:n] {
		w.Candidate[i] = graph.None
		w.Accepted[i] = 0
		if position < r.t.Edges {
			w.Candidate[i] = r.g.Indices[position]
		}
	}
	r.t.Prefetch(w.Candidate[:n])
	switch {
	case r.degree > 0:
		r.judgeDegrees(w, n)
	case r.second:
		r.judgeSecond(w, n)
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

// labelled gives an edge's bias at a step, in units of 2^-32 of the bound.
func (r *rule) labelled(step int, position uint64) uint64 {
	if r.labels[position] != r.path[step%len(r.path)] {
		return 0
	}
	return uint64(r.biases[position])
}

// judgeDegrees proposes again, since the level under a bound that is no power of two takes all of the word.
func (r *rule) judgeDegrees(w *triers, n int) {
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

func (r *rule) degreeOf(v uint32) uint64 {
	_, degree := r.t.Row(v)
	return min(degree, math.MaxUint32)
}

// judgeSecond looks an edge up only where it decides.
func (r *rule) judgeSecond(w *triers, n int) {
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
			w.Accepted[i] = away // Verify turns the fate of neighbours
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

// less is 1 where level < bias, else 0.
func less(level, bias uint64) uint32 {
	if level < bias {
		return 1
	}
	return 0
}

// weighAll chooses by a reservoir over the walker's whole row.
func (r *rule) weighAll(w *triers, i int) (v uint32, position uint64) {
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
	case r.second && w.Previous[i] != graph.None:
		r.weighSecond(&held, &w.ask, w.Previous[i], first, end)
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

// weighSecond offers the edges of a row to a reservoir, by biases of second order. ask has room for as many questions after
// edges as are asked at once, so that they wait for memory together.
func (r *rule) weighSecond(held *selector.Reserve, ask *stage.Walkers, previous uint32, first, end uint64) {
	for at := first; at < end; at += plan.Group {
		some := r.g.Indices[at:min(at+plan.Group, end)]
		for k, v := range some {
			ask.Previous[k], ask.Candidate[k], ask.Accepted[k], ask.Check[k] = previous, v, 0, uint32(k)
		}
		r.t.Verify(ask, len(some), r.edges)
		for k, v := range some {
			factor := r.order.Away
			switch {
			case v == previous:
				factor = r.order.Back
			case ask.Accepted[k] == 1:
				factor = r.order.Near
			}
			held.Add(int(at-first)+k, app.Product(uint64(r.biases[at+uint64(k)]), factor))
		}
	}
}
