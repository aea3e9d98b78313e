package graphtest

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// Thicket returns a directed graph with a loop, a multi-edge, a sink, a vertex whose edges have bias 0, a vertex whose only
// edge is a loop, and a row whose biases span 9 orders of magnitude.
func Thicket(weighted bool) *graph.Graph {
	return Make(6, weighted, []Edge{
		{0, 3, 7}, {0, 1, 3}, {0, 0, 2}, {0, 1, 5}, {0, 2, 0},
		{1, 3, 4}, {1, 2, 10}, {1, 0, 1},
		// 2 is a sink
		{3, 4, 1 << 31}, {3, 0, 1 << 29}, {3, 5, 1}, {3, 1, 1<<32 - 1},
		{4, 3, 0}, {4, 1, 0},
		{5, 5, 1},
	})
}

// Diamond returns an undirected graph of two triangles that share an edge, a double edge, a loop and a tail, so that all three
// biases of a second-order walk occur.
func Diamond(weighted bool) *graph.Graph {
	return Make(5, weighted, Both([]Edge{
		{0, 1, 6}, {0, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 3, 5}, {1, 3, 1}, {2, 2, 4}, {3, 4, 8},
	}))
}

// OneWay returns a directed graph with edges that have no reverse, so that "neighbour of the previous vertex" depends on the
// direction.
func OneWay(weighted bool) *graph.Graph {
	return Make(5, weighted, []Edge{
		{0, 1, 2}, {0, 2, 1}, {0, 3, 1}, {1, 2, 5}, {1, 4, 3}, {1, 1, 2}, {2, 0, 1}, {2, 3, 1}, {2, 1, 4}, {3, 0, 1},
		{3, 1, 1}, {3, 2, 2}, {4, 0, 3}, {4, 1, 1}, {4, 3, 0},
	})
}

// Star returns an undirected graph without triangles: a centre and leaves. From a leaf a walk can only return.
func Star(leaves int, weighted bool) *graph.Graph {
	var edges []Edge
	for i := range uint32(leaves) {
		edges = append(edges, Edge{0, i + 1, 1 + i*i})
	}
	return Make(leaves+1, weighted, Both(edges))
}

// Hub returns an undirected graph of a vertex with many edges and neighbours with few, so that a second-order walk proposes
// from the row of the previous vertex. There are triangles with double edges at the hub and away from it, a loop, an edge of
// bias 0, and leaves. Vertex 1 has the loop, a double edge, and an edge of large bias to the hub.
func Hub(weighted bool) *graph.Graph {
	edges := []Edge{{0, 2, 5}, {0, 3, 0}, {1, 2, 3}, {1, 2, 2}, {3, 4, 2}}
	for i := range uint32(13) {
		edges = append(edges, Edge{0, i + 2, 4 + i%3})
	}
	return Make(15, weighted, append(Both(edges), Edge{0, 1, 4}, Edge{1, 0, 40}, Edge{1, 1, 4}))
}

// Fan returns a graph of one vertex with many edges of equal bias to one sink.
func Fan(edges int, weighted bool) *graph.Graph {
	list := make([]Edge, edges)
	for i := range list {
		list[i] = Edge{0, 1, 1}
	}
	return Make(2, weighted, list)
}

// Crumbs returns a graph with a row of one bias of 2^24 and many of 1, for which sums in single precision do not grow.
func Crumbs(crumbs int) *graph.Graph {
	list := []Edge{{0, 1, 1 << 24}}
	for range crumbs {
		list = append(list, Edge{0, 1, 1})
	}
	return Make(2, true, list)
}

// Steep returns a graph of one vertex with loops whose weights span 12 orders of magnitude, and the weights.
func Steep() (*graph.Graph, []float64) {
	weights := []float64{1e-6, 3e5, 0, 1e6, 1e-3, 7e4, 1, 2e5, 1e3, 9.5e5}
	ends := make([]uint32, len(weights))
	return made(build.Edges{
		Sources: graph.ArrayOf(ends), Targets: graph.ArrayOf(ends), Weights: graph.ArrayOf(weights), NumVertices: 1, Threads: 1,
	}), weights
}

// Dense has all edges between n vertices, of which some are parallel, and some self-loops, but not those without.
func Dense(n uint32, without ...[2]uint32) *graph.Graph {
	var edges []Edge
	for u := range n {
		for v := range n {
			if u == v && u%3 > 0 || slices.Contains(without, [2]uint32{u, v}) {
				continue
			}
			edges = append(edges, Edge{From: u, To: v, Bias: 1})
			if (u+v)%4 == 0 {
				edges = append(edges, Edge{From: u, To: v, Bias: 1})
			}
		}
	}
	return Make(int(n), false, edges)
}

// Lonely returns a graph of one vertex without edges.
func Lonely(weighted bool) *graph.Graph { return Make(1, weighted, nil) }

// Circle returns a graph of one vertex with three loops, one of which has bias 0.
func Circle(weighted bool) *graph.Graph {
	return Make(1, weighted, []Edge{{0, 0, 1}, {0, 0, 0}, {0, 0, 3}})
}
