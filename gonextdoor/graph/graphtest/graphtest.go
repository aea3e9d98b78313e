// Package graphtest holds small hand-made graphs, each with something that a sampler may stumble over.
package graphtest

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/graph"
)

// Edge is an edge of a hand-made graph.
type Edge struct {
	From, To uint32
	Bias     uint32
}

// Make builds a graph of n vertices. The edges' ids are their places in the list.
func Make(n int, weighted bool, edges []Edge) *graph.Graph {
	order := make([]uint32, len(edges))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int {
		return cmp.Or(cmp.Compare(edges[i].From, edges[j].From), cmp.Compare(edges[i].To, edges[j].To))
	})
	g := &graph.Graph{Indptr: make([]uint64, n+1), EdgeIDs: order}
	if weighted {
		g.Biases = []uint32{}
	}
	for _, i := range order {
		g.Indptr[edges[i].From+1]++
		g.Indices = append(g.Indices, edges[i].To)
		if weighted {
			g.Biases = append(g.Biases, edges[i].Bias)
		}
	}
	g.Indices = append(g.Indices, graph.None)[:len(edges)]
	for v := range n {
		g.Indptr[v+1] += g.Indptr[v]
	}
	return g
}

// Both gives the edges and their mirror images.
func Both(edges []Edge) []Edge {
	all := slices.Clone(edges)
	for _, e := range edges {
		if e.From != e.To {
			all = append(all, Edge{e.To, e.From, e.Bias})
		}
	}
	return all
}
