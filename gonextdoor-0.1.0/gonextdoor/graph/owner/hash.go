package owner

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// HashOf returns the part that owns v when vertices are assigned by a hash: the high word of
//
//	rng.Mix((v+1) * rng.Gamma) * parts
//
// It depends on the vertex and the number of parts alone, so other programs can compute it without the graph.
func HashOf(v uint32, parts int) int {
	part, _ := bits.Mul64(rng.Mix((uint64(v)+1)*rng.Gamma), uint64(parts))
	return int(part)
}

// Hash assigns the vertices 0 ... vertices-1 by HashOf.
func Hash(vertices, parts int) *Map {
	m := NewMap(vertices, parts)
	for v := range uint32(vertices) {
		m.Set(v, HashOf(v, parts))
	}
	return m
}
