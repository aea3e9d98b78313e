package gonextdoor

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Integer is any type that a caller may keep vertices in.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// narrowPiece is how many vertices are checked at a time.
const narrowPiece = 1 << 18

// Vertices checks that all of values are vertices of g and gives them with 32 bits: a copy, since engines trust what was
// checked, and the caller's array may change while they run. The refusal names the argument, and the first value that is
// no vertex with its position.
func Vertices[T Integer](g *graph.Graph, argument string, values []T, threads int) ([]uint32, error) {
	narrow := make([]uint32, len(values))
	return narrow, Narrow(g.NumVertices(), argument, values, narrow, threads)
}

// Narrow is Vertices into memory of the caller's, as long as values, for a graph or a type of so many vertices.
func Narrow[T Integer](vertices int, argument string, values []T, narrow []uint32, threads int) error {
	last := uint64(vertices) - 1
	return parallel.For(nil, threads, len(values), narrowPiece, func(lo, hi int) error {
		from, to := values[lo:hi], narrow[lo:hi]
		to = to[:len(from)] // no bounds are checked in the loop
		outside := uint64(0)
		for i, v := range from {
			u := uint64(v)
			to[i] = uint32(u)
			outside |= u | (last - u) // the top bit, where it is negative or beyond the last
		}
		if outside>>63 == 0 {
			return nil
		}
		for i, v := range from { // written again: another thread may have changed the values since
			if v < 0 || uint64(v) > last || vertices == 0 {
				return refuse.Index("%s[%d] = %d: the graph has %d vertices, expected 0 to %d", argument, lo+i, v, vertices, vertices-1)
			}
			to[i] = uint32(v)
		}
		return nil
	})
}
