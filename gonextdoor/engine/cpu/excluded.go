package cpu

import (
	"math/bits"
	"slices"
	"sort"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// excluded are the edges of a relation that a mini-batch leaves out, found by the row that they lie in.
type excluded struct {
	positions []uint64 // ascending, and one behind all edges
	before    []uint32 // for each stretch of 2^shift positions, how many lie before it
	shift     uint
	ranks     []uint64 // of those in a row, from its beginning
	ids       []uint64 // of those in a row
	undated   undated
}

// set reads edge ids. All positions of an id are left out: a symmetric graph has its edges twice.
func (x *excluded) set(of *relation, ids []int64) error {
	x.positions = x.positions[:0]
	if len(ids) == 0 {
		return nil
	}
	inverse, err := index.InverseOf(of.g)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if uint64(id) >= inverse.IDs() {
			x.positions = x.positions[:0]
			return refuse.Index("%s[%d] = %d: the graph's edge ids are below %d", of.excludes, i, id, inverse.IDs())
		}
		x.positions = inverse.Append(x.positions, uint64(id))
	}
	slices.Sort(x.positions)
	x.positions = slices.Compact(x.positions)
	x.guide(uint64(of.g.NumEdges()))
	return nil
}

// guide counts the positions in stretches, of which there are about as many as positions.
func (x *excluded) guide(edges uint64) {
	n := len(x.positions)
	x.shift = uint(max(0, bits.Len64(edges)-bits.Len(uint(n))-1))
	stretches := int(edges>>x.shift) + 2
	x.before = slices.Grow(x.before[:0], stretches)[:stretches]
	at := 0
	for k := range x.before {
		for at < n && x.positions[at]>>x.shift < uint64(k) {
			at++
		}
		x.before[k] = uint32(at)
	}
	x.positions = append(x.positions, edges)
}

func (x *excluded) empty() bool { return len(x.positions) == 0 }

// in gives the positions in a row that are left out.
func (x *excluded) in(first, degree uint64) []uint64 {
	if x.empty() || degree == 0 {
		return nil
	}
	at := x.before[first>>x.shift]
	for x.positions[at] < first {
		at++
	}
	if x.positions[at] >= first+degree {
		return nil
	}
	rest := x.positions[at:]
	return rest[:sort.Search(len(rest), func(i int) bool { return rest[i] >= first+degree })]
}

// takeWithout is choices.take for a row of which some positions are left out.
func (x *excluded) takeWithout(c *choices, key rng.Key, fanout, first, degree uint64, left, dst []uint64) (n int) {
	x.ranks = x.ranks[:0]
	for _, p := range left {
		x.ranks = append(x.ranks, p-first)
	}
	if c.slots != nil {
		row, biases := c.row(key, first, degree), c.g.Biases[first:first+degree]
		n = selector.ExcludingAt(key, fanout, row, biases, c.way == alias, x.ranks, dst, &c.scratch)
		for i := range dst[:n] {
			dst[i] += first
		}
		return n
	}
	n = c.take(key, fanout, 0, degree-uint64(len(left)), dst)
	for i, place := range dst[:n] { // among those that are not left out
		skipped := sort.Search(len(left), func(j int) bool { return x.ranks[j]-uint64(j) > place })
		dst[i] = first + place + uint64(skipped)
	}
	return n
}
