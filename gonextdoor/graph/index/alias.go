package index

import (
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/graph"
)

// AliasSlot is one edge's slot of its row's alias table (Vose's method in integers): the edge itself is taken when a
// 32-bit fraction is below Threshold, otherwise the edge at AliasPosition.
type AliasSlot struct {
	Vertex        uint32 // the edge's own end point
	AliasVertex   uint32 // the other edge's end point
	Threshold     uint32
	AliasPosition uint32 // index of the other edge in the row
}

// always returns the slot that leads to v for every fraction.
func always(v uint32, place int) AliasSlot { return AliasSlot{v, v, math.MaxUint32, uint32(place)} }

// BuildAliasRow fills slots with the alias table of a row. All numbers are exact integers until a threshold is rounded
// down to 2^-32. Slots that are less than full take from the others, including those that are exactly full, both in order of
// index, so that the table is a function of the row alone. In a row without any bias every slot leads to None. BuildAlias
// does the same faster.
func BuildAliasRow(neighbors, biases []uint32, slots []AliasSlot) {
	n := uint64(len(biases))
	var total uint64
	for _, b := range biases {
		total += uint64(b)
	}
	if total == 0 {
		for i := range slots {
			slots[i] = always(graph.None, i)
		}
		return
	}
	share := make([]uint64, n) // of each slot, in units such that a full slot has total
	var small, large []int
	for i, b := range biases {
		share[i] = uint64(b) * n
		if share[i] < total {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[0], large[0]
		small = small[1:]
		threshold, _ := bits.Div64(share[s]>>32, share[s]<<32, total)
		slots[s] = AliasSlot{neighbors[s], neighbors[l], uint32(threshold), uint32(l)}
		share[l] -= total - share[s]
		if share[l] < total {
			large = large[1:]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // exactly full
		slots[i] = always(neighbors[i], i)
	}
}
