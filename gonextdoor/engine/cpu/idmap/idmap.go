// Package idmap maps vertices to local ids.
package idmap

import (
	"math/bits"

	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/rng"
)

// Map numbers vertices from 0 in the order of their first appearance. It is a hash table with open addressing and linear
// probing, at most half full, of 16 to 32 bytes per vertex. Call Reset before the first use. A Map serves one thread.
type Map struct {
	slots []uint64 // vertex<<32 | number+1; 0: empty
	shift uint
	Count uint32 // numbers given since the last Reset
}

// Reset empties the map and reserves capacity for most vertices, which is the most that may be added. It clears the
// whole table, and panics as buffer.Grow does.
func (r *Map) Reset(most uint64) {
	size := uint64(2) << bits.Len64(most)
	r.shift, r.Count = uint(65-bits.Len64(size)), 0
	if uint64(cap(r.slots)) < size {
		r.slots = buffer.Grow[uint64](nil, int(size))[:size]
		return
	}
	r.slots = r.slots[:size]
	clear(r.slots)
}

// Add returns the number of a vertex. A vertex without one gets the next number, and fresh is true.
func (r *Map) Add(v uint32) (number uint32, fresh bool) {
	slots := r.slots
	mask := uint64(len(slots) - 1)
	for h := uint64(v) * rng.Gamma >> r.shift; ; h++ {
		switch s := slots[h&mask]; {
		case s == 0:
			r.Count++
			slots[h&mask] = uint64(v)<<32 | uint64(r.Count)
			return r.Count - 1, true
		case uint32(s>>32) == v:
			return uint32(s) - 1, false
		}
	}
}

// Find returns the number of a vertex, or -1 if it has none.
func (r *Map) Find(v uint32) int32 {
	slots := r.slots
	mask := uint64(len(slots) - 1)
	for h := uint64(v) * rng.Gamma >> r.shift; ; h++ {
		switch s := slots[h&mask]; {
		case s == 0:
			return -1
		case uint32(s>>32) == v:
			return int32(uint32(s) - 1)
		}
	}
}
