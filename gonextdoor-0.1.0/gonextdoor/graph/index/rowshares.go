package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var rowSharesKey = graph.NewKey(offheap.Free[uint64])

// RowSharesTable describes the table of RowSharesOf.
var RowSharesTable = &Table{
	Name: "sums of edge shares", Bytes: func(g *graph.Graph) int64 { return 8 * (vertices(g) + 1) }, Built: rowSharesKey.Has,
	Build: func(g *graph.Graph, opts graph.Options) error { _, err := RowSharesOf(g, opts); return err },
}

// RowSharesOf returns the sums of EdgeShares up to each row, and their total. It is built at the first call and cached: 8 bytes
// per vertex. GPUs read it if the rows of the graph are not in their memory.
func RowSharesOf(g *graph.Graph, opts graph.Options) ([]uint64, error) {
	return rowSharesKey.Get(g, func() ([]uint64, error) {
		shares, err := EdgeShares(g, opts)
		if err != nil {
			return nil, err
		}
		table, err := offheap.Make[uint64](len(g.Indptr))
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, len(table), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				table[u] = shares.Sums[g.Indptr[u]]
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
