package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var (
	realWeightsKey    = graph.NewKey(offheap.Free[float64])
	largestWeightsKey = graph.NewKey(offheap.Free[float64])
	prefixWeightsKey  = graph.NewKey(offheap.Free[float64])
)

// RealWeights gives the weight of each edge by its position, or nil where all are 1.
func RealWeights(g *graph.Graph, hands graph.Options) ([]float64, error) {
	return buildRow(g, realWeightsKey, g.NumEdges(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[p] = g.Weight(u, p)
		}
	})
}

// LargestWeights gives the largest weight of each vertex's row, or nil where all weights are 1.
func LargestWeights(g *graph.Graph, hands graph.Options) ([]float64, error) {
	return buildRow(g, largestWeightsKey, g.NumVertices(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[u] = max(table[u], g.Weight(u, p))
		}
	})
}

// PrefixWeights gives by position the sum of the row's weights up to and with the edge's, or nil where all weights are 1.
func PrefixWeights(g *graph.Graph, hands graph.Options) ([]float64, error) {
	return buildRow(g, prefixWeightsKey, g.NumEdges(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		sum := 0.0
		for p := first; p < end; p++ {
			sum += g.Weight(u, p)
			table[p] = sum
		}
	})
}

// real makes a table of n numbers, row by row.
func buildRow(g *graph.Graph, key graph.Key[[]float64], n int, hands graph.Options, fill func(u uint32, table []float64)) ([]float64, error) {
	if !g.Weighted() {
		return nil, nil
	}
	return key.Get(g, func() ([]float64, error) {
		table, err := offheap.Make[float64](n)
		if err != nil {
			return nil, err
		}
		err = parallel.For(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				fill(uint32(u), table)
			}
			return nil
		})
		if err != nil {
			offheap.Free(table)
			return nil, err
		}
		return table, nil
	})
}
