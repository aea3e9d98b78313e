package neighbor

import (
	"slices"

	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// eligible holds the edges of a row ordered by time that are not excluded, and the prefix sums of their biases.
type eligible struct{ positions, sums []uint64 }

// takeTemporal is rowaccess.Choices.TakeTemporal with excluded edges, given by their positions in the order of the graph. It
// reads all n edges.
func (x *exclusions) takeTemporal(c *rowaccess.Choices, key rng.Key, fanout, first, n, before uint64, excluded, dst []uint64) int {
	out, e, rows := x.ids[:0], &x.eligible, c.Dated
	// 1. Translate positions to edge ids, which both orders share.
	for _, p := range excluded {
		out = append(out, c.Graph.EdgeID(p))
	}
	slices.Sort(out)
	x.ids, e.positions, e.sums = out, e.positions[:0], e.sums[:0]
	// 2. List the eligible edges.
	sum, previous := uint64(0), before
	for p := first; p < first+n; p++ {
		bias := uint64(1)
		if rows.Sums != nil {
			bias, previous = rows.Sums[p]-previous, rows.Sums[p]
		}
		if _, found := slices.BinarySearch(out, timeRowsID(rows, p)); !found {
			sum += bias
			e.positions, e.sums = append(e.positions, p), append(e.sums, sum)
		}
	}
	// 3. Choose among them.
	sums := e.sums
	if !c.Weighted() {
		sums = nil
	}
	got := c.Among(key, fanout, uint64(len(e.positions)), 0, sums, dst)
	for i, at := range dst[:got] {
		dst[i] = e.positions[at]
	}
	return got
}

// timeRowsID returns the id of the edge at a position of rows ordered by time.
func timeRowsID(rows *index.TimeRows, position uint64) uint64 {
	if rows.EdgeIDs != nil {
		return uint64(rows.EdgeIDs[position])
	}
	return rows.EdgeIDs64[position]
}
