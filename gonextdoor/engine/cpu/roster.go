package cpu

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// roster numbers the vertices of one step by first appearance, in an open-addressed table that is as large as the step
// needs: a step costs nothing for the vertices that it does not meet.
type roster struct {
	slots []uint64 // vertex<<32 | number+1; 0: empty
	shift uint
	n     uint32
}

// reset empties the roster and makes room for so many vertices.
func (r *roster) reset(most uint64) {
	size := uint64(2) << bits.Len64(most)
	r.shift, r.n = uint(65-bits.Len64(size)), 0
	if uint64(cap(r.slots)) < size {
		r.slots = grown[uint64](nil, int(size))[:size]
		return
	}
	r.slots = r.slots[:size]
	clear(r.slots)
}

// add gives the number of a vertex, a new one if it has none.
func (r *roster) add(v uint32) (number uint32, fresh bool) {
	slots := r.slots
	mask := uint64(len(slots) - 1)
	for h := uint64(v) * rng.Gamma >> r.shift; ; h++ {
		switch s := slots[h&mask]; {
		case s == 0:
			r.n++
			slots[h&mask] = uint64(v)<<32 | uint64(r.n)
			return r.n - 1, true
		case uint32(s>>32) == v:
			return uint32(s) - 1, false
		}
	}
}

// find gives the number of a vertex, or -1.
func (r *roster) find(v uint32) int32 {
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
