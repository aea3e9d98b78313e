package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() {
	families = append(families, returnMutants)
	sound["NonBacktracking"] = returnBy(returnFault{})
}

// returnFault selects a fault of non-backtracking walks; the zero value has none.
type returnFault struct {
	back    func(g *graph.Graph, prev, v uint32, position uint64) bool // whether an edge leads back; nil: by its end
	loops   bool                                                       // the previous vertex is not updated after a self-loop
	giveUp  bool                                                       // the walk ends after the last try
	turns   bool                                                       // at a dead end it turns back
	uniform bool                                                       // the scan forgets the weights
	reuse   bool                                                       // the scan reads the word of the first try
	keep    bool                                                       // the last rejected proposal is taken
}

func returnBy(f returnFault) func(app.App) apptest.Sampler {
	if f.back == nil {
		f.back = func(g *graph.Graph, prev, _ uint32, position uint64) bool { return g.Indices[position] == prev }
	}
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.NonBacktracking)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			prev, v := graph.None, roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range uint64(n.Length) {
				next, e := f.step(n, g, key, s, prev, v)
				out = out.Add(next, e)
				if !f.loops || next != v {
					prev = v
				}
				v = next
			}
			return out
		}
	}
}

func (f returnFault) step(n *apps.NonBacktracking, g *graph.Graph, key rng.Key, s uint64, prev, v uint32) (next uint32, e uint64) {
	if v == graph.None {
		return graph.None, graph.NoEdge
	}
	for try := range program.Tries(g.Degree(v)) {
		next, e = stepBy(right, g, v, key.Word(rng.Slot(s, try)), n.Weighted)
		if next == graph.None || prev == graph.None || !f.back(g, prev, v, e) {
			return next, e
		}
	}
	first, end := g.Row(v)
	word := key.Word(rng.Slot(s, selector.MaxTries))
	switch {
	case f.keep:
		return next, e
	case f.giveUp:
		return graph.None, graph.NoEdge
	case f.reuse:
		word = key.Word(rng.Slot(s, 0))
	}
	i := selector.Scan(word, int(end-first), func(i int) uint64 {
		at := first + uint64(i)
		if f.back(g, prev, v, at) {
			return 0
		}
		if n.Weighted == app.Yes && !f.uniform {
			return uint64(g.Biases[at])
		}
		return 1
	})
	if i >= 0 {
		return g.Indices[first+uint64(i)], first + uint64(i)
	}
	if f.turns {
		return next, e
	}
	return graph.None, graph.NoEdge
}

var returnMutants = []mutant{
	{"NonBacktracking: edge index compared with a vertex id", nextDoor, returnBy(returnFault{
		back: func(_ *graph.Graph, prev, _ uint32, position uint64) bool { return position == uint64(prev) }})},
	{"NonBacktracking: only the first of several parallel edges is excluded", likely, returnBy(returnFault{
		back: func(g *graph.Graph, prev, v uint32, position uint64) bool {
			return g.Indices[position] == prev && (position == g.Indptr[v] || g.Indices[position-1] != prev)
		}})},
	{"NonBacktracking: self-loops not excluded as return edges", likely, returnBy(returnFault{
		back: func(g *graph.Graph, prev, v uint32, position uint64) bool {
			return g.Indices[position] == prev && prev != v
		}})},
	{"NonBacktracking: previous vertex not updated after a self-loop", likely, returnBy(returnFault{loops: true})},
	{"NonBacktracking: last rejected proposal accepted", published, returnBy(returnFault{keep: true})},
	{"NonBacktracking: returns to the previous vertex at a dead end", likely, returnBy(returnFault{turns: true})},
	{"NonBacktracking: walk ends if all tries are rejected", likely, returnBy(returnFault{giveUp: true})},
	{"NonBacktracking: weights ignored if all tries are rejected", likely, returnBy(returnFault{uniform: true})},
	{"NonBacktracking: scan reuses the random word of the first try", likely, returnBy(returnFault{reuse: true})},
}
