package rowaccess

import (
	"slices"

	"gonextdoor/gonextdoor/rng"
)

// latest chooses the last edges that have a bias, in row order.
func latest(fanout, n, before uint64, sums, dst []uint64) int {
	if sums == nil {
		k := min(fanout, n)
		for i := range k {
			dst[i] = n - k + i
		}
		return int(k)
	}
	got := 0
	for i := n; i > 0 && uint64(got) < fanout; i-- {
		if i == 1 && sums[0] > before || i > 1 && sums[i-1] > sums[i-2] {
			dst[got] = i - 1
			got++
		}
	}
	slices.Reverse(dst[:got])
	return got
}

// TakeTemporal is Take for n edges of a row ordered by time, from position first on. before is the sum of the biases of the
// edges before them in the row.
func (c *Choices) TakeTemporal(key rng.Key, fanout, first, n, before uint64, dst []uint64) int {
	var sums []uint64
	if c.Dated.Sums != nil && c.Weighted() {
		sums = c.Dated.Sums[first : first+n]
	}
	got := c.Among(key, fanout, n, before, sums, dst)
	for i := range dst[:got] {
		dst[i] += first
	}
	return got
}
