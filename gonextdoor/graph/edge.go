package graph

import "slices"

// HasEdge says whether an edge leads from u to v.
func (g *Graph) HasEdge(u, v uint32) bool {
	_, ok := slices.BinarySearch(g.Neighbors(u), v)
	return ok
}
