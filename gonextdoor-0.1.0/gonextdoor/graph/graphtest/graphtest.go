// Package graphtest holds small hand-made graphs, each with a feature that samplers may handle wrongly.
package graphtest

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// Edge is an edge of a hand-made graph. Its bias is an integer, so fixed point represents the ratios of biases exactly.
type Edge struct {
	From, To uint32
	Bias     uint32
}

// Make builds a graph of n vertices. The id of an edge is its index in the list.
func Make(n int, weighted bool, edges []Edge) *graph.Graph {
	sources, targets, weights := make([]uint32, len(edges)), make([]uint32, len(edges)), make([]float64, len(edges))
	for i, e := range edges {
		sources[i], targets[i], weights[i] = e.From, e.To, float64(e.Bias)
	}
	input := build.Edges{Sources: graph.ArrayOf(sources), Targets: graph.ArrayOf(targets), NumVertices: n, Threads: 1}
	if weighted {
		input.Weights = graph.ArrayOf(weights)
	}
	return made(input)
}

// made copies a graph from FromEdges to the Go heap, so that a test need not Close it.
func made(input build.Edges) *graph.Graph {
	g, err := build.FromEdges(input)
	if err != nil {
		panic(err)
	}
	indptr, indices := slices.Clone(g.Indptr), append(slices.Clone(g.Indices), graph.None)[:g.NumEdges()]
	ids, biases, scales := slices.Clone(g.EdgeIDs), slices.Clone(g.Biases), slices.Clone(g.Scales)
	labels := slices.Clone(g.Labels)
	g.Close()
	g.Indptr, g.Indices, g.EdgeIDs, g.Biases, g.Scales, g.Labels = indptr, indices, ids, biases, scales, labels
	return g
}

// Both returns the edges and the reverses of all edges except loops.
func Both(edges []Edge) []Edge {
	all := slices.Clone(edges)
	for _, e := range edges {
		if e.From != e.To {
			all = append(all, Edge{e.To, e.From, e.Bias})
		}
	}
	return all
}

// Timed sets the times of the edges and returns the graph. Times are in no order, some are equal, and some are 1000 before
// the others.
func Timed(g *graph.Graph) *graph.Graph {
	g.Times = make([]int64, g.NumEdges())
	for i := range g.Times {
		if g.Times[i] = int64((i*5+i/7)%11) - 3; g.Times[i] < 0 && i%5 == 0 {
			g.Times[i] -= 1000
		}
	}
	return g
}

// Labelled sets the labels of the edges to 0, 1, 2, 0, ... and returns the graph.
func Labelled(g *graph.Graph) *graph.Graph {
	g.Labels = make([]int32, g.NumEdges())
	for i := range g.Labels {
		g.Labels[i] = int32(i % 3)
	}
	return g
}
