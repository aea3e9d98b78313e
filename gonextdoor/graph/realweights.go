package graph

import (
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var (
	realWeightsKey    = NewKey(offheap.Free[float64])
	largestWeightsKey = NewKey(offheap.Free[float64])
	prefixWeightsKey  = NewKey(offheap.Free[float64])
)

// RealWeights gives the weight of each edge by its position, or nil where all are 1.
func (g *Graph) RealWeights(hands Hands) ([]float64, error) {
	return g.real(realWeightsKey, g.NumEdges(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[p] = g.Weight(u, p)
		}
	})
}

// LargestWeights gives the largest weight of each vertex's row, or nil where all weights are 1.
func (g *Graph) LargestWeights(hands Hands) ([]float64, error) {
	return g.real(largestWeightsKey, g.NumVertices(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[u] = max(table[u], g.Weight(u, p))
		}
	})
}

// PrefixWeights gives by position the sum of the row's weights up to and with the edge's, or nil where all weights are 1.
func (g *Graph) PrefixWeights(hands Hands) ([]float64, error) {
	return g.real(prefixWeightsKey, g.NumEdges(), hands, func(u uint32, table []float64) {
		first, end := g.Row(u)
		sum := 0.0
		for p := first; p < end; p++ {
			sum += g.Weight(u, p)
			table[p] = sum
		}
	})
}

// real makes a table of n numbers, row by row.
func (g *Graph) real(key Key[[]float64], n int, hands Hands, fill func(u uint32, table []float64)) ([]float64, error) {
	if !g.Weighted() {
		return nil, nil
	}
	return key.Get(g, func() ([]float64, error) {
		table, err := offheap.Make[float64](n)
		if err != nil {
			return nil, err
		}
		err = parallel.For(hands.Job, hands.Threads, g.NumVertices(), vertexChunk, func(lo, hi int) error {
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
