package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// endBlock is the number of positions whose end points are prefetched before those of the block before are read.
const endBlock = 128

// ReadEnds reads the neighbours at positions; those after the last of indices have graph.None:
//
//	for i, p := range positions {
//		if to[i] = graph.None; p < len(indices) { to[i] = indices[p] }
//	}
func ReadEnds[P uint32 | uint64](to, indices []uint32, positions []P) {
	var blocks [2]struct {
		positions [endBlock]uint64
		places    [endBlock]int // in `to`
		count     int
	}
	begin, before := unsafe.SliceData(indices), &blocks[1]
	for lo := 0; lo < len(positions) || before.count > 0; lo += endBlock {
		// 1. List the positions of a block, and prefetch.
		now := &blocks[lo/endBlock%2]
		n := 0
		for i := lo; i < min(lo+endBlock, len(positions)); i++ {
			to[i] = graph.None
			now.positions[n], now.places[n] = uint64(positions[i]), i
			if uint64(positions[i]) < uint64(len(indices)) {
				n++
			}
		}
		now.count = n
		PrefetchIndices(begin, now.positions[:n])
		// 2. Read the block before.
		for k := range before.count {
			to[before.places[k]] = indices[before.positions[k]]
		}
		before.count = 0
		before = now
	}
}
