package graph

import (
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// EdgeWeights writes the weight of each edge of g to out, by position. It runs on all cores. It returns an error if the length
// of out is not NumEdges.
func EdgeWeights(g *Graph, out []float64) error {
	if len(out) != g.NumEdges() {
		return refuse.Value("memory for %d weights: expected %d", len(out), g.NumEdges())
	}
	if err := g.Validate(); err != nil {
		return err
	}
	return g.Blame(parallel.For(nil, 0, g.NumVertices(), VertexChunk, func(lo, hi int) error {
		for u := uint32(lo); u < uint32(hi); u++ {
			first, end := g.Row(u)
			for p := first; p < end; p++ {
				out[p] = g.Weight(u, p)
			}
		}
		return nil
	}))
}
