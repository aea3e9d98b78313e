// Package roots validates vertex ids that callers pass as integers of any type.
package roots

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/internal/streamstore"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Integer is any integer type that callers may use for vertices.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// grain is the number of vertices that a thread checks at a time.
const grain = 1 << 15

// Vertices validates that all values are vertices of g and returns them as 32-bit integers. The result is a copy, because
// engines trust validated roots and the caller's array may change during a call. The error (IndexError) names the argument
// and the first value that is not a vertex, with its index.
func Vertices[T Integer](g *graph.Graph, argument string, values []T, threads int) ([]uint32, error) {
	into := make([]uint32, len(values))
	return into, Copy(g.NumVertices(), argument, values, into, threads)
}

// Copy is Vertices for ids below the given number of vertices. It writes to into, which must be as long as values.
func Copy[T Integer](vertices int, argument string, values []T, into []uint32, threads int) error {
	return copyFrom(vertices, argument, values, into, 0, threads, false)
}

// copyFrom is Copy for the values from position first of the argument on. pinned is that of CopyKind.
func copyFrom[T Integer](vertices int, argument string, values []T, into []uint32, first, threads int, pinned bool) error {
	if len(values) <= grain {
		return copyPiece(vertices, argument, values, into, first)
	}
	return parallel.For(nil, threads, len(values), grain, func(lo, hi int) error {
		if pinned {
			return streamPiece(vertices, argument, values[lo:hi], into[lo:hi], first+lo)
		}
		return copyPiece(vertices, argument, values[lo:hi], into[lo:hi], first+lo)
	})
}

// streamPiece is copyPiece by non-temporal stores.
func streamPiece[T Integer](vertices int, argument string, from []T, to []uint32, first int) error {
	var few [1 << 12]uint32
	for at := 0; at < len(from); at += len(few) {
		part := few[:min(len(few), len(from)-at)]
		if err := copyPiece(vertices, argument, from[at:at+len(part)], part, first+at); err != nil {
			return err
		}
		streamstore.Bytes(bytesOf(to[at:at+len(part)]), bytesOf(part))
	}
	return nil
}

// bytesOf returns the memory of a slice.
func bytesOf(s []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// copyPiece is Copy for the values from position first of the argument on.
func copyPiece[T Integer](vertices int, argument string, from []T, to []uint32, first int) error {
	last := uint64(vertices) - 1
	to = to[:len(from)] // removes the bounds check from the loop
	outside := uint64(0)
	for i, v := range from {
		u := uint64(v)
		to[i] = uint32(u)
		outside |= u | (last - u) // the top bit is set if v is negative or above last
	}
	if outside>>63 == 0 {
		return nil
	}
	for i, v := range from { // copied again: another thread may have changed the values since
		if v < 0 || uint64(v) > last || vertices == 0 {
			return refuse.Index("%s[%d] = %d: the graph has %d vertices, expected 0 to %d", argument, first+i, v, vertices, vertices-1)
		}
		to[i] = uint32(v)
	}
	return nil
}
