package index

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// The biases of this file are sums of fractions 1/d and 1/d^2 of degrees, in units of 2^-k, with the largest k for which no
// sum can exceed 2^63. Each fraction is rounded down, but to at least one unit. A choice by these biases differs from one by
// the real numbers, in total variation, by less than the number of fractions times 2^-k, divided by the sum of all fractions.

// fraction returns 1/d in units of 2^-unit.
func fraction(d uint64, unit uint) uint64 { return max(1, 1<<unit/d) }

var (
	columnNormsKey = graph.NewKey(Cumulative.free)
	edgeSharesKey  = graph.NewKey(Cumulative.free)
)

// ColumnNorms returns a bias per vertex: the squared norm of its column in the adjacency matrix whose rows are divided by
// their degrees. For u that is the sum of 1/deg(v)^2 over the edges (v, u). It is built at the first call and cached.
func ColumnNorms(g *graph.Graph, opts graph.Options) (Cumulative, error) {
	return columnNormsKey.Get(g, func() (Cumulative, error) {
		unit := uint(63 - bits.Len64(uint64(g.NumVertices()))) // each v adds at most 1/deg(v) to the sum of all columns
		return cumulative(g, g.NumVertices(), func(sums []uint64) error {
			return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
				for v := lo; v < hi; v++ {
					d := g.Degree(uint32(v))
					if d == 0 {
						continue
					}
					share := fraction(d, unit) / d // floor(floor(x/d)/d) = floor(x/d^2)
					for _, u := range g.Neighbors(uint32(v)) {
						atomic.AddUint64(&sums[u], max(1, share))
					}
				}
				return nil
			})
		})
	})
}

// EdgeShares returns a bias per edge: 1/deg(u) + 1/deg(v) for (u, v), without the second term if v is a sink. It is built at
// the first call and cached.
func EdgeShares(g *graph.Graph, opts graph.Options) (Cumulative, error) {
	return edgeSharesKey.Get(g, func() (Cumulative, error) {
		unit := uint(62 - bits.Len64(uint64(g.NumEdges())))
		return cumulative(g, g.NumEdges(), func(sums []uint64) error {
			return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
				for u := lo; u < hi; u++ {
					first, end := g.Row(uint32(u))
					if first == end {
						continue
					}
					own := fraction(end-first, unit)
					for position := first; position < end; position++ {
						sums[position] = own
						if d := g.Degree(g.Indices[position]); d > 0 {
							sums[position] += fraction(d, unit)
						}
					}
				}
				return nil
			})
		})
	})
}

// cumulative returns the Cumulative of n biases. fill gets an array of zeros and adds the biases to it.
func cumulative(g *graph.Graph, n int, fill func(biases []uint64) error) (Cumulative, error) {
	sums, err := offheap.Make[uint64](n + 1)
	if err != nil {
		return Cumulative{}, err
	}
	err = fill(sums[1:])
	var c Cumulative
	if err == nil {
		c, err = cumulate(sums)
	}
	if err != nil {
		offheap.Free(sums)
	}
	return c, err
}
