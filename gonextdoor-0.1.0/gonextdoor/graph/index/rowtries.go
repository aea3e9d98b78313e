package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// The parameters of TriesByWeight. They are part of the reproducibility contract.
const (
	MostTries    = 128 // proposals in a row in which proposals pay: selector.MaxTries
	ProposalCost = 64  // edges that a proposal must save to be made in any case
	ManyTries    = 64  // rows in which one of 64 proposals is accepted have proposals in any case
)

// weightBits is log2 of the bound of biases by weight.
const weightBits = 32

var rowTriesKey = graph.NewKey(offheap.Free[uint8])

// TriesByWeight returns the number of proposals of a choice by weight in a row of n edges with a sum of biases: MostTries or
// none. A proposal under the bound 2^32 is accepted with probability sum / (n * 2^32), which saves reading n edges. So it saves
// sum/2^32 edges on average. No proposal is made if that is little and the probability is low.
func TriesByWeight(n, sum uint64) uint64 {
	if sum>>weightBits < ProposalCost && sum/(1<<weightBits/ManyTries) < n {
		return 0
	}
	return MostTries
}

// TriesOf returns TriesByWeight of a row of a weighted graph.
func TriesOf(g *graph.Graph, u uint32) uint64 {
	first, end := g.Row(u)
	sum := uint64(0)
	for _, bias := range g.Biases[first:end] {
		sum += uint64(bias)
	}
	return TriesByWeight(end-first, sum)
}

// RowTries returns TriesOf for each vertex, or nil if the graph is unweighted. It takes 1 byte per vertex.
func RowTries(g *graph.Graph, opts graph.Options) ([]uint8, error) {
	if !g.Weighted() {
		return nil, nil
	}
	return rowTriesKey.Get(g, func() ([]uint8, error) {
		table, err := offheap.Make[uint8](g.NumVertices())
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				table[u] = uint8(TriesOf(g, uint32(u)))
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

// RowTriesNow returns the table of RowTries, or nil if it has not been built.
func RowTriesNow(g *graph.Graph) []uint8 { return rowTriesKey.Now(g) }
