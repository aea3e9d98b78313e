package graph

import (
	"sort"
	"unsafe"
)

// HasEdge says whether an edge leads from u to v. It is
//
//	slices.Contains(g.Neighbors(u), v)
//
// by halving the sorted row, with a conditional move where a branch would be wrong half of the time.
func (g *Graph) HasEdge(u, v uint32) bool {
	n := int(g.Indptr[u+1] - g.Indptr[u])
	if n == 0 {
		return false
	}
	row := unsafe.Add(unsafe.Pointer(unsafe.SliceData(g.Indices)), 4*g.Indptr[u])
	for n > 1 {
		half := n >> 1
		middle := unsafe.Add(row, 4*half)
		if *(*uint32)(middle) <= v {
			row = middle
		}
		n -= half
	}
	return *(*uint32)(row) == v
}

// rowOf gives the vertex whose row holds the edge at a position.
func (g *Graph) rowOf(position uint64) uint32 {
	return uint32(sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > position }))
}
