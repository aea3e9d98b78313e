package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/graph/index"
)

// Outliers are the factors of a second-order walk by which it proposes edges of a large factor apart from the others. A try
// draws a slot of three regions:
//
//	Row    the edges of the vertex, each with one slot on average (by its share of the row's bias)
//	Near   the edges of the previous vertex, for what neighbours of it have above other vertices
//	Back   the previous vertex, for what it has above other vertices
//
// A slot of Near or Back is accepted if an edge leads there and its share, times the factor of the region, exceeds the place
// within the region. The regions have the size for the largest share, so no edge is searched before a slot of them is drawn.
//
// The region Near is used if the previous vertex has so few edges that it is smaller than the row. Factors have 32 fraction
// bits. In such a step they are multiples of 1/q, and an edge of Row is accepted at once. In other steps they are multiples of
// max(1, 1/q), and an edge of Row is accepted in proportion to its factor of second order.
type Outliers struct {
	Back      uint64 // 1/p less max(1, 1/q); 0: there are no outliers
	ShortBack uint64 // 1/p less 1/q, in steps with Near
	ShortNear uint64 // 1 less 1/q, in steps with Near; 0: there are none
}

// Regions are the ends of the regions of slots: Row from 0, Near from Row, Back from Near.
type Regions struct {
	Row, Near, Back uint64
}

// Short reports whether the step has the region Near. All edges of Row are then accepted.
func (r Regions) Short() bool { return r.Near > r.Row }

// Regions returns the regions of a step among d edges, if the previous vertex has from edges. No branch depends on these
// numbers, because they are unpredictable.
func (o Outliers) Regions(d, from uint64, r index.Reach) Regions {
	over, most := bits.Mul64(r.Most(), from)
	near, back := slots(most, o.ShortNear), slots(r.Most(), o.ShortBack)
	if over > 0 || most >= d<<32 {
		near = 0
	}
	if near == 0 {
		back = slots(r.Most(), o.Back)
	}
	return Regions{d, d + near, d + near + back}
}

// slots returns the number of slots of a region: share*factor, rounded up.
func slots(share, factor uint64) uint64 {
	n, fraction := bits.Mul64(share, factor)
	_, carry := bits.Add64(fraction, 1<<64-1, 0)
	return n + carry
}

// Within reports whether a place in a region, a slot and its fraction, is below share*factor.
func Within(slot uint64, fraction uint32, share, factor uint64) bool {
	whole, rest := bits.Mul64(share, factor)
	return slot < whole || slot == whole && uint64(fraction) < rest>>32
}
