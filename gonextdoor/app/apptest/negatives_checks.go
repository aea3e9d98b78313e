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
	checksOf["Negatives"] = func() []Check { rooted, _ := negativeChecks(); return rooted }
	checksOf["NegativePairs"] = func() []Check { _, pairs := negativeChecks(); return pairs }
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

func negativeChecks() (rooted, pairs []Check) {
	thicket, diamond := graphtest.Thicket(false), graphtest.Diamond(false)
	hole := [][2]uint32{{0, 3}, {0, 17}, {0, 18}, {5, 4}, {12, 0}}
	full := graphtest.Dense(20, hole...)
	// Root 0 of far has an edge to all but three of 300 vertices.
	var to []graphtest.Edge
	for v := uint32(1); v < 300; v++ {
		if v != 7 && v != 8 && v != 299 {
			to = append(to, graphtest.Edge{From: 0, To: v, Bias: 1})
		}
	}
	far := graphtest.Make(300, false, append(to, graphtest.Edge{From: 9, To: 7, Bias: 1}))
	even := func(_, _ uint32) float64 { return 1 }
	steep := func(v uint32) float64 { return float64(v * v % 11) }
	check := func(to *[]Check, name string, a app.App, g *graph.Graph, roots []uint32, program func(*script)) {
		c := of(name, a, g, roots, program)
		c.outcome, c.leaps = drawnOf, true
		*to = append(*to, c)
	}
	one := func(name string, a *apps.Negatives, g *graph.Graph, root uint32, weight weightOf) {
		check(&rooted, name, a, g, []uint32{root}, without(g, []uint32{root}, a.Loops, false, weight))
	}
	// 1. Uniform, with loops and without; by exact choices; no negative.
	one("in the thicket", &apps.Negatives{}, thicket, 1, even)
	one("in the thicket, with loops", &apps.Negatives{Loops: true}, thicket, 2, even)
	one("in the diamond", &apps.Negatives{}, diamond, 0, even)
	one("of a dense graph", &apps.Negatives{}, full, 0, even)
	one("of a dense graph, with loops", &apps.Negatives{Loops: true}, full, 1, even)
	one("of a vertex with almost all edges", &apps.Negatives{}, far, 0, even)
	one("of a vertex with all edges", &apps.Negatives{}, full, 3, even)
	one("below a number of ends", &apps.Negatives{Ends: 280}, far, 0, func(_, v uint32) float64 { return fraction(v < 280) })
	// 2. By weight.
	for _, p := range []struct {
		name string
		g    *graph.Graph
		root uint32
	}{{"in the thicket", thicket, 3}, {"of a dense graph", full, 0}, {"of a vertex with almost all edges", far, 0}} {
		n := p.g.NumVertices()
		one("by weight "+p.name, &apps.Negatives{Weights: scoresOf(n, steep)}, p.g, p.root, func(_, v uint32) float64 { return steep(v) })
	}
	// 3. Of the same cluster, and among candidates.
	ids := make([]uint32, 300)
	for v := range ids {
		ids[v] = uint32(v) / 10 % 2
	}
	one("of the same cluster", &apps.Negatives{Clusters: &app.Clusters{IDs: ids}}, far, 0, func(u, v uint32) float64 { return fraction(ids[u] == ids[v]) })
	few := []uint32{7, 3, 7, 299, 5, 0, 3, 8}
	counted := func(_, v uint32) (n float64) {
		for _, c := range few {
			n += fraction(c == v)
		}
		return n
	}
	one("among candidates", &apps.Negatives{Candidates: &app.VertexList{Vertices: few}}, far, 0, counted)
	one("among candidates of a sink", &apps.Negatives{Candidates: &app.VertexList{Vertices: few}}, far, 5, counted)
	// 4. At a number of hops.
	for _, hops := range []int{2, 3} {
		for root := range uint32(3) {
			at := distances(thicket, root)
			one(fmt.Sprintf("at %d hops of vertex %d in the thicket", hops, root), &apps.Negatives{Hops: hops}, thicket, root, func(_, v uint32) float64 { return fraction(at[v] == hops) })
		}
	}

	many := func(name string, a *apps.NegativePairs, g *graph.Graph, weight weightOf) {
		sources := make([]uint32, g.NumVertices())
		for v := range sources {
			sources[v] = uint32(v)
		}
		check(&pairs, name, a, g, nil, without(g, sources, a.Loops, true, weight))
	}
	sharp := func(v uint32) float64 { return float64(1 + v%3*50) }
	both := func(u, v uint32) float64 { return sharp(u) * steep(v) }
	for _, p := range []struct {
		name string
		g    *graph.Graph
	}{{"in the thicket", thicket}, {"in the diamond", diamond}, {"of a dense graph", full}, {"of the only pair", graphtest.Dense(20, [2]uint32{3, 6})}} {
		n := p.g.NumVertices()
		many(p.name, &apps.NegativePairs{}, p.g, even)
		many(p.name+", with loops", &apps.NegativePairs{Loops: true}, p.g, even)
		many(p.name+", by weights of ends", &apps.NegativePairs{Weights: scoresOf(n, sharp)}, p.g, func(_, v uint32) float64 { return sharp(v) })
		if p.name != "of the only pair" {
			many(p.name+", by weights", &apps.NegativePairs{Weights: scoresOf(n, steep), SourceWeights: scoresOf(n, sharp)}, p.g, both)
		}
	}
	many("of two kinds", &apps.NegativePairs{Loops: true, Sources: 6, Ends: 15}, full, func(u, v uint32) float64 { return fraction(u < 6 && v < 15) })
	return rooted, pairs
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
