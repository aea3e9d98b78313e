package graph

import (
	"slices"
)

// HasEdge reports whether an edge leads from u to v. It is
//
//	slices.Contains(g.Neighbors(u), v)
//
// by binary search in the sorted row. A search without branches takes 1.5 times as long, because the CPU cannot
// prefetch, and interpolation in long rows is no faster: see BenchmarkHasEdge.
func (g *Graph) HasEdge(u, v uint32) bool {
	_, ok := slices.BinarySearch(g.Neighbors(u), v)
	return ok
}
