package index

import (
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/graph"
)

// AliasSlot is the slot of an edge in the alias table of its row (Vose's method in integers). A 32-bit fraction below
// Threshold selects the edge itself, any other fraction the edge at AliasPosition.
type AliasSlot struct {
	Vertex        uint32 // the edge's own end point
	AliasVertex   uint32 // the other edge's end point
	Threshold     uint32
	AliasPosition uint32 // index of the other edge in the row
}

// always returns the slot that selects v for every fraction.
func always(v uint32, place int) AliasSlot { return AliasSlot{v, v, math.MaxUint32, uint32(place)} }

// BuildAliasRow fills slots with the alias table of a row. All numbers are exact integers until a threshold is rounded down to
// a multiple of 2^-32. Slots that are less than full are filled from the others, both in the order of their indices, so the
// table depends on the row alone. If all biases of the row are 0, every slot selects None. BuildAlias is the fast version.
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
	share := make([]uint64, n) // of each edge, in units such that a full slot holds total
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
