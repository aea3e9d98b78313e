package index

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var biasedDegreesKey = graph.NewKey(offheap.Free[uint32])

// BiasedDegreesTable describes the table of BiasedDegreesOf.
var BiasedDegreesTable = &Table{
	Name: "numbers of edges with a bias", Bytes: func(g *graph.Graph) int64 { return 4 * vertices(g) }, Built: biasedDegreesKey.Has,
	Build: func(g *graph.Graph, opts graph.Options) error { _, err := BiasedDegreesOf(g, opts); return err },
}

// BiasedDegreesOf returns, for each vertex of a weighted graph, the number of its edges with a positive bias, at most 2^32-1. It
// is built at the first call and cached: 4 bytes per vertex. GPUs read it if the rows of the graph are not in their memory.
func BiasedDegreesOf(g *graph.Graph, opts graph.Options) ([]uint32, error) {
	return biasedDegreesKey.Get(g, func() ([]uint32, error) {
		table, err := offheap.Make[uint32](g.NumVertices())
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				first, end := g.Row(uint32(u))
				n := uint64(0)
				for _, bias := range g.Biases[first:end] {
					if bias > 0 {
						n++
					}
				}
				table[u] = uint32(min(n, math.MaxUint32))
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
