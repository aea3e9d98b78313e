package graph

import (
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/offheap"
)

// AliasSlot is one edge's slot of its row's alias table (Vose's method in integers): the edge itself is taken when a
// 32-bit fraction is below Threshold, the edge at AliasPosition otherwise.
type AliasSlot struct {
	Vertex        uint32 // the edge's own end point
	AliasVertex   uint32 // the other edge's end point
	Threshold     uint32
	AliasPosition uint32 // the other edge's place within the row
}

// always is the slot that leads to v whatever the fraction.
func always(v uint32, place int) AliasSlot { return AliasSlot{v, v, math.MaxUint32, uint32(place)} }

// BuildAlias fills slots with the alias table of a row. All numbers are exact integers until a threshold is rounded
// down to 2^-32. Slots that are less than full are paired first come first served, so the table is a function of the
// row alone. In a row without any bias every slot leads to None.
func BuildAlias(neighbors, biases []uint32, slots []AliasSlot) {
	n := uint64(len(biases))
	var total uint64
	for _, b := range biases {
		total += uint64(b)
	}
	if total == 0 {
		for i := range slots {
			slots[i] = always(None, i)
		}
		return
	}
	share := make([]uint64, n) // of each slot, in units where a full one has total
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
	for _, i := range append(small, large...) { // full to the brim: the sums are exact
		slots[i] = always(neighbors[i], i)
	}
}

// MakeAlias makes sure that a weighted graph has its alias tables.
func (g *Graph) MakeAlias() error {
	t := &g.tables
	t.aliasOnce.Do(func() {
		slots, err := offheap.MakeSlack[AliasSlot](g.NumEdges(), 1)
		if err != nil {
			t.aliasErr = err
			return
		}
		for u := range g.NumVertices() {
			first, end := g.Row(uint32(u))
			BuildAlias(g.Indices[first:end], g.Biases[first:end], slots[first:end])
		}
		slots[:g.NumEdges()+1][g.NumEdges()] = always(None, 0)
		t.alias = slots
	})
	return t.aliasErr
}

// AliasTable gives the slots of all edges after MakeAlias, by position; one more lies behind the last, always None.
func (g *Graph) AliasTable() []AliasSlot { return g.tables.alias }

// AliasRow gives u's slots after MakeAlias: empty if no edge of u has a bias.
func (g *Graph) AliasRow(u uint32) []AliasSlot {
	row := g.tables.alias[g.Indptr[u]:g.Indptr[u+1]]
	if len(row) > 0 && row[0].Vertex == None {
		return nil
	}
	return row
}
