package index

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var degreesKey = graph.NewKey(offheap.Free[uint32])

// DegreesTable describes the table of DegreesOf.
var DegreesTable = &Table{
	Name:  "degrees",
	Bytes: func(g *graph.Graph) int64 { return 4 * vertices(g) },
	Built: func(g *graph.Graph) bool { return degreesKey.Has(g.Base()) },
	Build: func(g *graph.Graph, opts graph.Options) error { _, err := DegreesOf(g, opts); return err },
}

// DegreesOf returns the number of edges of each vertex, at most 2^32-1. It is built at the first call and cached: 4 bytes per
// vertex. GPUs read it if the rows of the graph are not in their memory.
func DegreesOf(g *graph.Graph, opts graph.Options) ([]uint32, error) {
	g = g.Base()
	return degreesKey.Get(g, func() ([]uint32, error) {
		table, err := offheap.Make[uint32](g.NumVertices())
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				table[u] = uint32(min(g.Degree(uint32(u)), math.MaxUint32))
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
