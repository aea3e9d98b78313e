package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// whole returns a check of all steps and links of a sample.
func whole(name string, a app.App, g *graph.Graph, roots []uint32, program func(*script)) Check {
	c := of(name, a, g, roots, program)
	c.outcome = layersOf
	return c
}

// layersOf writes the vertices of each step, and the positions of the links.
func layersOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	for i := 1; i < len(row.Ends); i++ {
		for _, v := range row.Vertices[row.Ends[i-1]:row.Ends[i]] {
			out = appendPosition(out, uint64(v))
		}
		out = append(out, "; "...)
	}
	out = append(out, "/ "...)
	for _, l := range row.Links {
		out = appendPosition(out, l.Position)
	}
	return out
}

// layeredFault describes what is invalid for every layered sample, such as wrong ends of steps, or an edge or link with a
// different source. It returns "" for a valid sample.
func layeredFault(g *graph.Graph, row app.Row) string {
	if n := len(row.Ends); n == 0 || int(row.Ends[n-1]) != len(row.Vertices) || len(row.Parents) != len(row.Edges) {
		return fmt.Sprintf("%d vertices, ends %v, %d parents", len(row.Vertices), row.Ends, len(row.Parents))
	}
	leads := func(position uint64, source, target int32) string {
		from, to := row.Vertices[source], row.Vertices[target]
		if first, end := g.Row(from); position < first || position >= end || g.Indices[position] != to {
			return fmt.Sprintf("edge %d does not lead from %d to %d", position, from, to)
		}
		return ""
	}
	roots := len(row.Vertices) - len(row.Edges)
	for i, position := range row.Edges {
		if position == graph.NoEdge {
			continue
		}
		if row.Parents[i] < 0 || int(row.Parents[i]) >= roots+i {
			return fmt.Sprintf("place %d was reached from %d", roots+i, row.Parents[i])
		}
		if fault := leads(position, row.Parents[i], int32(roots+i)); fault != "" {
			return fault
		}
	}
	for _, l := range row.Links {
		if l.Position == graph.NoEdge {
			continue
		}
		if fault := leads(l.Position, l.Source, l.Target); fault != "" {
			return fault
		}
	}
	return ""
}

// spreadChecks returns the checks of Snowball and ForestFire.
func spreadChecks() (snowball, fire []Check) {
	thicket, diamond := graphtest.Thicket(true), graphtest.Diamond(true)
	two := func(*script, int) int { return 2 }
	snowball = []Check{whole("fanout 2 in the thicket", &apps.Snowball{Depth: 2, Fanout: 2}, thicket, []uint32{0},
		spread(thicket, []uint32{0}, 2, two))}
	fire = []Check{
		whole("until it dies in the diamond", &apps.ForestFire{Probability: 0.4}, diamond, []uint32{1},
			spread(diamond, []uint32{1}, 0, geometric(0.4))),
		whole("depth 2 in the thicket from two", &apps.ForestFire{Probability: 0.7, Depth: 2}, thicket, []uint32{3, 1},
			spread(thicket, []uint32{3, 1}, 2, geometric(0.7))),
	}
	return snowball, fire
}

// neighborChecks returns the checks of Neighbor: a KHop by degree, and frontiers with a size.
func neighborChecks() []Check {
	g := graphtest.Thicket(false)
	byDegree := func(u uint32) []float64 {
		var weights []float64
		for _, v := range g.Neighbors(u) {
			weights = append(weights, float64(g.Degree(v)))
		}
		return weights
	}
	bounded := func(s *script) {
		now := []uint32{0, 3}
		var steps [][]uint32
		for range 2 {
			var next []uint32
			for _, t := range picks(s, equal(len(now)), 1, false) {
				for _, i := range picks(s, byDegree(now[t]), 2, true) {
					next = append(next, g.Neighbors(now[t])[i])
				}
			}
			steps, now = append(steps, next), next
		}
		layers(s, g, steps, nil)
	}
	tree := of("by degree in the thicket", &apps.Neighbor{Fanouts: []int{2}, Bias: app.ByDegree}, g, []uint32{0, 1}, func(s *script) {
		for _, u := range []uint32{0, 1} {
			for _, i := range picks(s, byDegree(u), 2, false) {
				s.write(g.Indptr[u] + uint64(i))
			}
		}
	})
	return []Check{tree, whole("a frontier of 1 by degree in the thicket",
		&apps.Neighbor{Fanouts: []int{2, 2}, FrontierSize: 1, Bias: app.ByDegree, Replace: true}, g, []uint32{0, 3}, bounded)}
}

// drawChecks returns the checks of RandomNode and RandomEdge.
func drawChecks() (nodes, edges []Check) {
	diamond, thicket := graphtest.Diamond(true), graphtest.Thicket(true)
	for _, replace := range []bool{false, true} {
		nodes = append(nodes, whole(fmt.Sprintf("3 of the diamond, replace %v", replace),
			&apps.RandomNode{N: 3, Replace: replace, Induced: true}, diamond, nil, func(s *script) {
				var reached []uint32
				for _, i := range picks(s, equal(5), 3, replace) {
					reached = append(reached, uint32(i))
				}
				layers(s, diamond, [][]uint32{reached}, between(diamond, reached))
			}))
	}
	for _, replace := range []bool{false, true} {
		edges = append(edges, whole(fmt.Sprintf("2 of the thicket, replace %v", replace), &apps.RandomEdge{N: 2, Replace: replace}, thicket, nil,
			func(s *script) {
				var positions []uint64
				for _, i := range picks(s, equal(thicket.NumEdges()), 2, replace) {
					positions = append(positions, uint64(i))
				}
				layers(s, thicket, [][]uint32{different(endsOfEdges(thicket, positions))}, positions)
			}))
	}
	return nodes, edges
}

func clusterChecks() []Check {
	g, ids := graphtest.Diamond(true), []uint32{4, 0, 2, 0, 4}
	return []Check{whole("2 of 5 clusters, two of them empty", &apps.ClusterGCN{Clusters: &app.Clusters{IDs: ids}, PerSample: 2}, g, nil,
		func(s *script) {
			var reached []uint32
			for _, c := range picks(s, equal(5), 2, false) {
				for v, id := range ids {
					if int(id) == c {
						reached = append(reached, uint32(v))
					}
				}
			}
			induced(s, g, reached)
		})}
}

func saintChecks() []Check {
	thicket := graphtest.Thicket(true)
	return []Check{
		whole("3 nodes of the thicket", &apps.GraphSAINT{Method: app.NodeMethod, Budget: 3}, thicket, nil, func(s *script) {
			induced(s, thicket, drawn(s, columnNorms(thicket), 3))
		}),
		whole("2 edges of the thicket", &apps.GraphSAINT{Method: app.EdgeMethod, Budget: 2}, thicket, nil, func(s *script) {
			var positions []uint64
			for _, i := range drawn(s, edgeShares(thicket), 2) {
				positions = append(positions, uint64(i))
			}
			induced(s, thicket, endsOfEdges(thicket, positions))
		}),
		whole("walks in the thicket", &apps.GraphSAINT{Method: app.WalkMethod, Roots: 2, Length: 2}, thicket, nil,
			saintWalk(thicket, 2, 2)),
		whole("frontier in the thicket", &apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 2, Budget: 4}, thicket, nil,
			saintFrontier(thicket, 2, 4)),
	}
}
