package graph

import "sort"

// RowRanges cuts the rows into n ranges with equal numbers of edges, up to one row, and returns their bounds: range i has the
// rows [bounds[i], bounds[i+1]). A range is empty if a single row has more than its share. Without edges, all rows are in the
// last range.
func (g *Graph) RowRanges(n int) (bounds []int) {
	bounds = make([]int, n+1)
	for i := 1; i < n; i++ {
		share := g.Indptr[0] + uint64(g.NumEdges())/uint64(n)*uint64(i)
		bounds[i] = sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > share })
	}
	bounds[n] = g.NumVertices()
	return bounds
}
