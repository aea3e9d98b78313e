package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// orderFault has a fault of second-order walks. A nil function is the correct one.
type orderFault struct {
	biases  func(n *apps.Node2Vec) app.SecondOrder
	of      func(s app.SecondOrder, g *graph.Graph, prev, v uint32, position uint64) uint64
	accept  func(word, n uint64, weighted app.Weighted) uint32
	keep    bool // rejected proposals are taken
	giveUp  bool // after the last try, the walk ends
	uniform bool // after the last try, weights are ignored
}

func orderBy(f orderFault) func(app.App) apptest.Sampler {
	if f.biases == nil {
		f.biases = (*apps.Node2Vec).SecondOrder
	}
	if f.of == nil {
		f.of = func(s app.SecondOrder, g *graph.Graph, prev, _ uint32, position uint64) uint64 {
			return s.Of(g, prev, g.Indices[position])
		}
	}
	if f.accept == nil {
		f.accept = func(word, n uint64, weighted app.Weighted) uint32 {
			if weighted == app.Yes {
				return rng.Second(word)
			}
			_, fraction := rng.Below(word, n)
			return fraction
		}
	}
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.Node2Vec)
		if !ok || n.Computes() {
			return nil
		}
		biases := f.biases(n)
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			prev, v := graph.None, roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range uint64(n.Length) {
				next, e := f.step(n, g, key, s, prev, v, biases)
				out = out.Add(next, e)
				prev, v = v, next
			}
			return out
		}
	}
}

func (f orderFault) step(n *apps.Node2Vec, g *graph.Graph, key rng.Key, s uint64, prev, v uint32, biases app.SecondOrder) (uint32, uint64) {
	for try := range uint64(selector.MaxTries) {
		word := key.Word(rng.Slot(s, try))
		next, e := stepBy(right, g, v, word, n.Weighted)
		if next == graph.None || prev == graph.None || f.keep {
			return next, e
		}
		if uint64(f.accept(word, g.Degree(v), n.Weighted)) < f.of(biases, g, prev, v, e) {
			return next, e
		}
	}
	if f.giveUp {
		return graph.None, graph.NoEdge
	}
	first, end := g.Row(v)
	i := selector.Scan(key.Word(rng.Slot(s, selector.MaxTries)), int(end-first), func(i int) uint64 {
		bias := f.of(biases, g, prev, v, first+uint64(i))
		if n.Weighted == app.Yes && !f.uniform {
			bias *= uint64(g.Biases[first+uint64(i)])
		}
		return bias
	})
	return g.Indices[first+uint64(i)], first + uint64(i)
}

var orderMutants = []mutant{
	{"Node2Vec: edge index compared with a vertex id", nextDoor, orderBy(orderFault{
		of: func(s app.SecondOrder, g *graph.Graph, prev, _ uint32, position uint64) uint64 {
			if position == uint64(prev) {
				return s.Back
			}
			return s.Of(g, prev, uint32(min(position, uint64(g.NumVertices()-1))))
		}})},
	{"Node2Vec: p for 1/p", nextDoor, orderBy(orderFault{biases: func(n *apps.Node2Vec) app.SecondOrder {
		return (&apps.Node2Vec{P: 1 / n.P, Q: n.Q}).SecondOrder()
	}})},
	{"Node2Vec: q for 1/q", likely, orderBy(orderFault{biases: func(n *apps.Node2Vec) app.SecondOrder {
		return (&apps.Node2Vec{P: n.P, Q: 1 / n.Q}).SecondOrder()
	}})},
	{"Node2Vec: p and q exchanged", likely, orderBy(orderFault{biases: func(n *apps.Node2Vec) app.SecondOrder {
		return (&apps.Node2Vec{P: n.Q, Q: n.P}).SecondOrder()
	}})},
	{"Node2Vec: biases of near and far candidates exchanged", nextDoor, orderBy(orderFault{biases: func(n *apps.Node2Vec) app.SecondOrder {
		s := n.SecondOrder()
		return app.SecondOrder{Back: s.Back, Near: s.Away, Away: s.Near}
	}})},
	{"Node2Vec: edge searched from the candidate instead of the previous vertex", likely, orderBy(orderFault{
		of: func(s app.SecondOrder, g *graph.Graph, prev, _ uint32, position uint64) uint64 {
			x := g.Indices[position]
			if x != prev && !g.HasEdge(x, prev) {
				return s.Away
			} else if x != prev {
				return s.Near
			}
			return s.Back
		}})},
	{"Node2Vec: rejected proposals kept", published, orderBy(orderFault{keep: true})},
	{"Node2Vec: acceptance reuses the alias fraction", likely, orderBy(orderFault{
		accept: func(word, n uint64, _ app.Weighted) uint32 { _, f := rng.Below(word, n); return f }})},
	{"Node2Vec: walk ends if all tries are rejected", likely, orderBy(orderFault{giveUp: true})},
	{"Node2Vec: weights ignored if all tries are rejected", likely, orderBy(orderFault{uniform: true})},
}
