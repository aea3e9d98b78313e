package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// TimeOrdered returns a graph with the rows of g in which the edges of each row are ordered by time; edges of equal time keep
// their order. Times are those of the edges, or times[v] of the end points v if times is not nil. The graph has the indices,
// ids, times and biases of the edges, in new arrays: 16 to 24 bytes per edge. It is for engines that keep graphs in the memory
// of a device; TimeRows serves the CPU. The result is not cached. The caller closes it before g.
func TimeOrdered(g *graph.Graph, times []int64, opts graph.Options) (to *graph.Graph, err error) {
	to = graph.NewReordered(g)
	defer func() {
		if err != nil {
			to.Close()
			to = nil
		}
	}()
	m := g.NumEdges()
	// 1. Allocate the arrays.
	indices, err := offheap.Make[uint32](m + 1)
	if err != nil {
		return to, err
	}
	graph.Own(to, indices)
	to.Indices, indices[m] = indices[:m], graph.None
	limit := uint64(m)
	if g.EdgeIDs64 != nil {
		limit = 1 << 62
	}
	ids, err := graph.MakeEdgeOrder(m, int(limit))
	if err != nil {
		return to, err
	}
	to.EdgeIDs, to.EdgeIDs64 = graph.Own(to, ids.Narrow), graph.Own(to, ids.Wide)
	if to.Times, err = offheap.Make[int64](m); err != nil {
		return to, err
	}
	graph.Own(to, to.Times)
	if g.Weighted() {
		if to.Biases, err = offheap.Make[uint32](m); err != nil {
			return to, err
		}
		graph.Own(to, to.Biases)
	}
	// 2. Fill them row by row.
	return to, parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var row []dated
		for v := lo; v < hi; v++ {
			row = rowByTime(g, times, uint32(v), row)
			first, _ := g.Row(uint32(v))
			for i, e := range row {
				at := first + uint64(i)
				to.Indices[at], to.Times[at] = g.Indices[e.position], e.time
				ids.Set(int(at), g.EdgeID(e.position))
				if to.Biases != nil {
					to.Biases[at] = g.Biases[e.position]
				}
			}
		}
		return nil
	})
}
