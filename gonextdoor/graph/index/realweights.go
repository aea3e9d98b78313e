package index

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var (
	realWeightsKey    = graph.NewKey(offheap.Free[float64])
	largestWeightsKey = graph.NewKey(offheap.Free[float64])
	prefixWeightsKey  = graph.NewKey(offheap.Free[float64])
)

// RealWeights returns the weight of each edge by position, or nil if the graph is unweighted. It takes 8 bytes per edge.
func RealWeights(g *graph.Graph, opts graph.Options) ([]float64, error) {
	return buildRow(g, realWeightsKey, g.NumEdges(), opts, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[p] = g.Weight(u, p)
		}
	})
}

// LargestWeights returns the largest weight of each row, 0 for an empty one, or nil if the graph is unweighted.
func LargestWeights(g *graph.Graph, opts graph.Options) ([]float64, error) {
	return buildRow(g, largestWeightsKey, g.NumVertices(), opts, func(u uint32, table []float64) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			table[u] = max(table[u], g.Weight(u, p))
		}
	})
}

// PrefixWeights returns by position the prefix sums of the weights of each row, added in order and including the edge, or nil
// if the graph is unweighted.
func PrefixWeights(g *graph.Graph, opts graph.Options) ([]float64, error) {
	return buildRow(g, prefixWeightsKey, g.NumEdges(), opts, func(u uint32, table []float64) {
		first, end := g.Row(u)
		sum := 0.0
		for p := first; p < end; p++ {
			sum += g.Weight(u, p)
			table[p] = sum
		}
	})
}

// buildRow builds and caches a table of n numbers, which fill computes row by row.
func buildRow(g *graph.Graph, key graph.Key[[]float64], n int, opts graph.Options, fill func(u uint32, table []float64)) ([]float64, error) {
	if !g.Weighted() {
		return nil, nil
	}
	if base := g.Base(); unsafe.SliceData(g.Biases) == unsafe.SliceData(base.Biases) { // a view with the same weights
		g = base
	}
	return key.Get(g, func() ([]float64, error) {
		table, err := offheap.Make[float64](n)
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
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
