package rowaccess

import (
	"slices"

	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Before chooses among the first n edges of a row ordered by time. It writes their indices within the row to dst and returns
// their number. sums are the prefix sums of their biases; nil means uniformly at random.
func (c *Choices) Before(key rng.Key, fanout, n uint64, sums, dst []uint64) int {
	switch {
	case n == 0:
		return 0
	case c.latest:
		return latest(fanout, n, sums, dst)
	case c.Way == Successive:
		return selector.SuccessiveSums(key, fanout, sums, dst, &c.Scratch)
	case c.Way == Permute:
		return selector.PermuteAt(key, fanout, n, 0, dst, &c.Scratch)
	case c.Way == Alias && sums[n-1] == 0:
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

// latest chooses the last edges that have a bias, in row order.
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

// takeTemporal is Take for the first n edges of a row ordered by time.
func (c *Choices) takeTemporal(key rng.Key, fanout, first, n uint64, dst []uint64) int {
	var sums []uint64
	if c.Dated.Sums != nil && c.Weighted() {
		sums = c.Dated.Sums[first : first+n]
	}
	got := c.Before(key, fanout, n, sums, dst)
	for i := range dst[:got] {
		dst[i] += first
	}
	return got
}
