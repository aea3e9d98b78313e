package neighbor

import (
	"math/bits"
	"slices"
	"sort"

	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// exclusions holds the edges of a relation that a mini-batch must not sample. A guide table finds those of a row in about
// constant time: the positions are divided into ranges of 2^shift, and the table has the rank of the first excluded position
// of each range.
type exclusions struct {
	positions []uint64 // ascending and distinct, then the number of edges as a sentinel; empty if nothing is excluded
	guide     []uint32 // by range: the number of excluded positions before it
	shift     uint

	// Scratch memory of one row.
	ranks    []uint64 // excluded positions, relative to the row
	ids      []uint64 // their edge ids
	eligible eligible
}

// set replaces the exclusions by the edges with the given ids. It excludes all positions of an id: a graph that was made
// symmetric has each edge twice.
func (x *exclusions) set(of *relation, ids []int64) error {
	x.positions = x.positions[:0]
	if len(ids) == 0 {
		return nil
	}
	inverse, err := index.InverseOf(of.graph)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if uint64(id) >= inverse.IDs() {
			x.positions = x.positions[:0]
			return refuse.Index("%s[%d] = %d: the graph's edge ids are below %d", of.excludeName, i, id, inverse.IDs())
		}
		x.positions = inverse.Append(x.positions, uint64(id))
	}
	slices.Sort(x.positions)
	x.positions = slices.Compact(x.positions)
	x.buildGuide(uint64(of.graph.NumEdges()))
	return nil
}

// buildGuide builds the guide table, with about as many ranges as positions, and appends the sentinel.
func (x *exclusions) buildGuide(edges uint64) {
	n := len(x.positions)
	x.shift = uint(max(0, bits.Len64(edges)-bits.Len(uint(n))-1))
	ranges := int(edges>>x.shift) + 2
	x.guide = slices.Grow(x.guide[:0], ranges)[:ranges]
	at := 0
	for k := range x.guide {
		for at < n && x.positions[at]>>x.shift < uint64(k) {
			at++
		}
		x.guide[k] = uint32(at)
	}
	x.positions = append(x.positions, edges)
}

// empty reports whether no edge is excluded.
func (x *exclusions) empty() bool { return len(x.positions) == 0 }

// in returns the excluded positions of a row; nil if there are none.
func (x *exclusions) in(first, degree uint64) []uint64 {
	if x.empty() || degree == 0 {
		return nil
	}
	at := x.guide[first>>x.shift]
	for x.positions[at] < first {
		at++
	}
	if x.positions[at] >= first+degree {
		return nil
	}
	rest := x.positions[at:]
	return rest[:sort.Search(len(rest), func(i int) bool { return rest[i] >= first+degree })]
}

// take is rowaccess.Choices.Take for a row with the given excluded positions.
func (x *exclusions) take(c *rowaccess.Choices, key rng.Key, fanout, first, degree uint64, excluded, dst []uint64) (n int) {
	if c.Way == rowaccess.Labor || c.Way == rowaccess.WeightedLabor {
		return c.LaborWithout(fanout, first, degree, excluded, dst)
	}
	x.ranks = x.ranks[:0]
	for _, p := range excluded {
		x.ranks = append(x.ranks, p-first)
	}
	// Weighted: the selector skips the excluded ranks.
	if c.Slots != nil {
		row, biases := c.Row(key, first, degree), c.Graph.Biases[first:first+degree]
		n = selector.ExcludingAt(key, fanout, row, biases, c.Way == rowaccess.Alias, x.ranks, dst, &c.Scratch)
		for i := range dst[:n] {
			dst[i] += first
		}
		return n
	}
	// Uniform: choose among degree-len(excluded) edges, then map each choice past the excluded ranks before it.
	n = c.Take(key, fanout, 0, degree-uint64(len(excluded)), dst)
	for i, place := range dst[:n] {
		skipped := sort.Search(len(excluded), func(j int) bool { return x.ranks[j]-uint64(j) > place })
		dst[i] = first + place + uint64(skipped)
	}
	return n
}
