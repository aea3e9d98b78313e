package idmap

import (
	"math/bits"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/rng"
)

// Distinct tests whether vertices are different. The zero value is ready for use. A Distinct serves one thread.
//
// It counts vertices in 16 to 32 cells per vertex, by their hash, without a branch. Only vertices that share their cell with
// another one are added to a Map.
type Distinct struct {
	cells  []uint8
	shared Map
}

// All reports whether the vertices are different. It panics like buffer.Grow if there is too little memory.
func (d *Distinct) All(vertices []uint32) bool {
	// 1. Count the vertices per cell: 0, 1 or more. again is the number of those whose cell has one already.
	width := bits.Len(uint(16 * len(vertices)))
	if len(d.cells) < 1<<width {
		d.cells = buffer.Grow[uint8](nil, 1<<width)[:1<<width]
	}
	cells, shift, again := d.cells[:1<<width], uint(64-width)&63, uint64(0)
	clear(cells)
	for _, v := range vertices {
		c := &cells[uint64(v)*rng.Gamma>>shift&uint64(len(cells)-1)]
		again += uint64(*c & 1)
		*c = *c<<1 | 1
	}
	if again == 0 {
		return true
	}
	// 2. Compare the vertices that share a cell: at most two for each that was counted.
	d.shared.Reset(2 * again)
	for _, v := range vertices {
		if cells[uint64(v)*rng.Gamma>>shift&uint64(len(cells)-1)] == 1 {
			continue
		}
		if _, fresh := d.shared.Add(v); !fresh {
			return false
		}
	}
	return true
}
