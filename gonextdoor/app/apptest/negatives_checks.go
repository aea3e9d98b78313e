package apptest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func init() {
	checksOf["Negatives"], checksOf["NegativePairs"] = rootedChecks, pairChecks
}

// weightOf is the weight of a pair as a negative, before edges are excluded.
type weightOf func(u, v uint32) float64

// without returns a program that draws one of the pairs of sources and all vertices, by weight, without those that are edges, and
// without loops unless these are negatives too.
func without(g *graph.Graph, sources []uint32, loops, writeSource bool, weight weightOf) func(*script) {
	return func(s *script) {
		var us, vs []uint32
		var weights []float64
		for _, u := range sources {
			for v := range uint32(g.NumVertices()) {
				w := weight(u, v)
				if slices.Contains(g.Neighbors(u), v) || u == v && !loops {
					w = 0
				}
				us, vs, weights = append(us, u), append(vs, v), append(weights, w)
			}
		}
		u, v := sources[0], graph.None
		if i := s.choose(weights); i >= 0 {
			u, v = us[i], vs[i]
		}
		if writeSource {
			s.write(uint64(u))
		}
		s.write(uint64(v))
	}
}

// drawnOf writes the vertices of a sample after its roots.
func drawnOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	for _, v := range row.Vertices[len(row.Vertices)-len(row.Edges):] {
		out = appendPosition(out, uint64(v))
	}
	return out
}

// scoresOf returns the scores of n vertices.
func scoresOf(n int, of func(v uint32) float64) *app.Scores {
	weights := make([]float64, n)
	for v := range weights {
		weights[v] = of(uint32(v))
	}
	s, err := app.NewScores(weights)
	if err != nil {
		panic(err)
	}
	return s
}

// negative returns the check of an app whose weights of pairs, before edges are excluded, are given.
func negative(name string, a app.App, g *graph.Graph, roots []uint32, loops bool, weight weightOf) Check {
	sources := roots
	if roots == nil {
		for v := range uint32(g.NumVertices()) {
			sources = append(sources, v)
		}
	}
	c := of(name, a, g, roots, without(g, sources, loops, roots == nil, weight))
	c.outcome, c.leaps = drawnOf, true
	return c
}

func even(_, _ uint32) float64 { return 1 }

func steep(v uint32) float64 { return float64((v * v % 11) * (v * v % 11)) }

func sharp(v uint32) float64 { return float64(1 + v%3*50) }

// sparseRow is a graph whose vertex 0 has an edge to all but three of 300 vertices.
func sparseRow() *graph.Graph {
	var edges []graphtest.Edge
	for v := uint32(1); v < 300; v++ {
		if v != 7 && v != 8 && v != 299 {
			edges = append(edges, graphtest.Edge{From: 0, To: v, Bias: 1})
		}
	}
	return graphtest.Make(300, false, append(edges, graphtest.Edge{From: 9, To: 7, Bias: 1}))
}

// holes are the pairs of vertices, of 20, that have no edge.
var holes = [][2]uint32{{0, 3}, {0, 17}, {0, 18}, {5, 4}, {12, 0}}

func rootedChecks() (checks []Check) {
	thicket, full, far := graphtest.Thicket(false), graphtest.Dense(20, holes...), sparseRow()
	add := func(name string, a *apps.Negatives, g *graph.Graph, root uint32, weight weightOf) {
		checks = append(checks, negative(name, a, g, []uint32{root}, a.Loops, weight))
	}
	// 1. Uniform, with loops and without; by exact choices; no negative.
	add("in the thicket", &apps.Negatives{}, thicket, 1, even)
	add("in the thicket, with loops", &apps.Negatives{Loops: true}, thicket, 2, even)
	add("of a dense graph", &apps.Negatives{}, full, 0, even)
	add("of a dense graph, with loops", &apps.Negatives{Loops: true}, full, 1, even)
	add("of a vertex with almost all edges", &apps.Negatives{}, far, 0, even)
	add("of a vertex with all edges", &apps.Negatives{}, full, 3, even)
	add("below a number of ends", &apps.Negatives{Ends: 280}, far, 0, func(_, v uint32) float64 { return fraction(v < 280) })
	// 2. By weight.
	for _, p := range []place{{"in the thicket", thicket}, {"of a dense graph", full}, {"of a vertex with almost all edges", far}} {
		a := &apps.Negatives{Weights: scoresOf(p.g.NumVertices(), steep)}
		add("by weight "+p.name, a, p.g, 0, func(_, v uint32) float64 { return steep(v) })
	}
	// 3. Of the same cluster, and among candidates.
	ids := make([]uint32, 300)
	for v := range ids {
		ids[v] = uint32(v) / 10 % 2
	}
	add("of the same cluster", &apps.Negatives{Clusters: &app.Clusters{IDs: ids}}, far, 0, func(u, v uint32) float64 { return fraction(ids[u] == ids[v]) })
	few := []uint32{7, 3, 7, 299, 5, 0, 3, 8}
	counted := func(_, v uint32) (n float64) {
		for _, c := range few {
			n += fraction(c == v)
		}
		return n
	}
	add("among candidates", &apps.Negatives{Candidates: &app.VertexList{Vertices: few}}, far, 0, counted)
	add("among candidates of a sink", &apps.Negatives{Candidates: &app.VertexList{Vertices: few}}, far, 5, counted)
	// 4. At a number of hops.
	for root, hops := range []int{2, 2, 3} {
		at := distances(thicket, uint32(root))
		add(fmt.Sprintf("at %d hops of vertex %d", hops, root), &apps.Negatives{Hops: hops}, thicket, uint32(root), func(_, v uint32) float64 { return fraction(at[v] == hops) })
	}
	merging := mergingPaths()
	for _, x := range [][2]int{{2, 7}, {3, 0}} {
		hops, ends, at := x[0], x[1], distances(merging, 0)
		weight := func(_, v uint32) float64 { return fraction(at[v] == hops && (ends == 0 || int(v) < ends)) }
		add(fmt.Sprintf("at %d hops, where paths merge", hops), &apps.Negatives{Hops: hops, Ends: ends}, merging, 0, weight)
	}
	return checks
}

// mergingPaths is a graph in which one to four walks lead from vertex 0 to each vertex at 2 hops, and more to those at 3.
func mergingPaths() *graph.Graph {
	var edges []graphtest.Edge
	for u, ends := range [][]uint32{{1, 2, 3, 3}, {4, 5, 0}, {4, 5, 6, 2}, {4, 7, 1}, {8, 4}, {8, 9}, {9, 10, 1}, {10, 11}} {
		for _, v := range ends {
			edges = append(edges, graphtest.Edge{From: uint32(u), To: v, Bias: 1})
		}
	}
	return graphtest.Make(12, false, edges)
}

func pairChecks() (checks []Check) {
	full, only := graphtest.Dense(20, holes...), graphtest.Dense(20, [2]uint32{3, 6})
	add := func(name string, a *apps.NegativePairs, g *graph.Graph, weight weightOf) {
		checks = append(checks, negative(name, a, g, nil, a.Loops, weight))
	}
	both := func(u, v uint32) float64 { return sharp(u) * steep(v) }
	for _, p := range []place{{"in the thicket", graphtest.Thicket(false)}, {"of a dense graph", full}} {
		n := p.g.NumVertices()
		add(p.name, &apps.NegativePairs{}, p.g, even)
		add(p.name+", with loops", &apps.NegativePairs{Loops: true}, p.g, even)
		add(p.name+", by weights of ends", &apps.NegativePairs{Weights: scoresOf(n, sharp)}, p.g, func(_, v uint32) float64 { return sharp(v) })
		add(p.name+", by weights", &apps.NegativePairs{Weights: scoresOf(n, steep), SourceWeights: scoresOf(n, sharp)}, p.g, both)
	}
	add("of the only pair", &apps.NegativePairs{}, only, even)
	add("of the only pair, with loops", &apps.NegativePairs{Loops: true}, only, even)
	add("of two kinds", &apps.NegativePairs{Loops: true, Sources: 6, Ends: 15}, full, func(u, v uint32) float64 { return fraction(u < 6 && v < 15) })
	return checks
}

func fraction(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// distances returns the distance of each vertex from u along the edges; -1 if there is no path.
func distances(g *graph.Graph, u uint32) []int {
	at := slices.Repeat([]int{-1}, g.NumVertices())
	at[u] = 0
	for d := range at {
		for v := range at {
			if at[v] != d {
				continue
			}
			for _, w := range g.Neighbors(uint32(v)) {
				if at[w] < 0 {
					at[w] = d + 1
				}
			}
		}
	}
	return at
}
