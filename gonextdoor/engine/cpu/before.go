package cpu

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// before writes which of the first n edges of a row in order of time are taken, by their places, and gives their number.
// sums are the running sums of their biases; nil: all are alike.
func (c *choices) before(key rng.Key, fanout, n uint64, sums, dst []uint64) int {
	switch {
	case n == 0:
		return 0
	case c.latest:
		return latest(fanout, n, sums, dst)
	case c.way == successive:
		return selector.SuccessiveSums(key, fanout, sums, dst, &c.scratch)
	case c.way == permute:
		return selector.PermuteAt(key, fanout, n, 0, dst, &c.scratch)
	case c.way == alias && sums[n-1] == 0:
		return 0
	}
	if sums != nil {
		selector.FindSums(key, 0, sums, dst[:fanout])
		return int(fanout)
	}
	for i := range fanout {
		dst[i], _ = rng.Below(key.Word(i), n)
	}
	return int(fanout)
}

// latest takes the last edges that have a bias, in order.
func latest(fanout, n uint64, sums, dst []uint64) int {
	if sums == nil {
		k := min(fanout, n)
		for i := range k {
			dst[i] = n - k + i
		}
		return int(k)
	}
	got := 0
	for i := n; i > 0 && uint64(got) < fanout; i-- {
		if i == 1 && sums[0] > 0 || i > 1 && sums[i-1] > sums[i-2] {
			dst[got] = i - 1
			got++
		}
	}
	slices.Reverse(dst[:got])
	return got
}

// takeBefore is take for the first n edges of a row in order of time.
func (c *choices) takeBefore(key rng.Key, fanout, first, n uint64, dst []uint64) int {
	var sums []uint64
	if c.dated.Sums != nil && c.weighted() {
		sums = c.dated.Sums[first : first+n]
	}
	got := c.before(key, fanout, n, sums, dst)
	for i := range dst[:got] {
		dst[i] += first
	}
	return got
}

// undated are the edges of a row in order of time that are not left out, and the running sums of their biases.
type undated struct{ positions, sums []uint64 }

// takeBeforeWithout is takeBefore where the edges at some positions of the graph's own row are left out.
func (x *excluded) takeBeforeWithout(c *choices, key rng.Key, fanout, first, n uint64, left []uint64, dst []uint64) int {
	out, u, rows := x.ids[:0], &x.undated, c.dated
	for _, p := range left {
		out = append(out, c.g.EdgeID(p))
	}
	slices.Sort(out)
	x.ids, u.positions, u.sums = out, u.positions[:0], u.sums[:0]
	sum, before := uint64(0), uint64(0)
	for p := first; p < first+n; p++ {
		bias := uint64(1)
		if rows.Sums != nil {
			bias, before = rows.Sums[p]-before, rows.Sums[p]
		}
		if _, isOut := slices.BinarySearch(out, datedID(rows, p)); !isOut {
			sum += bias
			u.positions, u.sums = append(u.positions, p), append(u.sums, sum)
		}
	}
	sums := u.sums
	if !c.weighted() {
		sums = nil
	}
	got := c.before(key, fanout, uint64(len(u.positions)), sums, dst)
	for i, at := range dst[:got] {
		dst[i] = u.positions[at]
	}
	return got
}

func datedID(rows *index.TimeRows, position uint64) uint64 {
	if rows.EdgeIDs != nil {
		return uint64(rows.EdgeIDs[position])
	}
	return rows.EdgeIDs64[position]
}
