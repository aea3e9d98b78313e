package apptest

import (
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func init() { checksOf["NonBacktracking"] = nonBacktrackingChecks }

// nonBacktracking is a walk along edges that do not lead to the previous vertex.
func nonBacktracking(g *graph.Graph, root uint32, length int, weighted bool) func(*script) {
	return func(s *script) {
		previous, v := graph.None, root
		for range length {
			var weights []float64
			if v != graph.None {
				weights = weightsOf(g, v, weighted)
				for i := range weights {
					if end := g.Indices[g.Indptr[v]+uint64(i)]; end == previous {
						weights[i] = 0
					}
				}
			}
			previous, v = v, follow(s, g, v, weights)
		}
	}
}

// bridge joins two vertices by an edge, and parallels of it, that outweighs their other edges: most tries are rejected, and
// the scan chooses among edges of different weights.
func bridge(parallels int) *graph.Graph {
	edges := []graphtest.Edge{
		{From: 0, To: 1, Bias: 4000}, {From: 0, To: 2, Bias: 3}, {From: 1, To: 3, Bias: 1}, {From: 1, To: 4, Bias: 2},
		{From: 1, To: 1, Bias: 4}, {From: 2, To: 4, Bias: 1}, {From: 4, To: 3, Bias: 0},
	}
	for range parallels {
		edges = append(edges, graphtest.Edge{From: 0, To: 1, Bias: 200})
	}
	return graphtest.Make(5, true, graphtest.Both(edges))
}

func nonBacktrackingChecks() (checks []Check) {
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		for _, p := range []struct {
			place
			root   uint32
			length int
		}{
			{place{"in the diamond", graphtest.Diamond(true)}, 1, 4}, {place{"from the diamond's tail", graphtest.Diamond(true)}, 4, 4},
			{place{"in the thicket", graphtest.Thicket(true)}, 0, 4}, {place{"one way", graphtest.OneWay(true)}, 1, 4},
			{place{"on a star", graphtest.Star(4, true)}, 0, 4}, {place{"from a star's leaf", graphtest.Star(4, true)}, 2, 4},
			{place{"alone", graphtest.Lonely(true)}, 0, 4}, {place{"in a circle", graphtest.Circle(true)}, 0, 4},
			{place{"over a bridge", bridge(9)}, 0, 2}, {place{"over a bridge of 40 edges", bridge(39)}, 2, 3},
		} {
			a := &apps.NonBacktracking{Length: p.length, Weighted: w}
			c := of(word+" "+p.name, a, p.g, []uint32{p.root}, nonBacktracking(p.g, p.root, p.length, weighted))
			checks = append(checks, c)
			if p.name == "in the diamond" {
				program := nonBacktracking(p.g, p.root, 2, weighted)
				two := of(word+" "+p.name, &apps.NonBacktracking{Length: 2, Weighted: w}, p.g, []uint32{p.root}, program)
				checks = append(checks, two.pairs(program), c.corners(0), c.corners(1))
			}
		}
	}
	return checks
}
