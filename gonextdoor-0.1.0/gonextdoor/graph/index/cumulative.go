package index

import (
	"math/bits"
	"sort"

	"gonextdoor/gonextdoor/offheap"
)

// Cumulative stores biases as prefix sums. A search for a uniform number below Total draws an index in proportion to its bias.
type Cumulative struct {
	Sums  []uint64 // n+1 prefix sums of n biases, from 0: bias i is Sums[i+1] - Sums[i]
	guide []uint64 // results of Find at multiples of 2^shift
	shift uint
}

// Total returns the sum of all biases.
func (c Cumulative) Total() uint64 { return c.Sums[len(c.Sums)-1] }

// Bias returns bias i.
func (c Cumulative) Bias(i uint64) uint64 { return c.Sums[i+1] - c.Sums[i] }

// Find returns the first i with Sums[i+1] > r. r must be below Total. It is
//
//	sort.Search(n, func(i int) bool { return Sums[i+1] > r })
//
// restricted to the range that a guide table gives (the index method of Chen & Asau, 1974).
func (c Cumulative) Find(r uint64) uint64 {
	lo, hi := c.guide[r>>c.shift], c.guide[r>>c.shift+1]
	return lo + uint64(sort.Search(int(hi-lo), func(i int) bool { return c.Sums[lo+uint64(i)+1] > r }))
}

// perGuide is the approximate number of biases per entry of the guide.
const perGuide = 4

// cumulate replaces the biases in sums[1:] by their prefix sums and builds the guide.
func cumulate(sums []uint64) (c Cumulative, err error) {
	for i := range sums[1:] {
		sums[i+1] += sums[i]
	}
	c.Sums = sums
	entries := uint64(len(sums)/perGuide + 1)
	c.shift = uint(max(0, bits.Len64(c.Total())-bits.Len64(entries)))
	if c.guide, err = offheap.Make[uint64](int(c.Total()>>c.shift) + 2); err != nil {
		return Cumulative{}, err
	}
	at := 0
	for k := range c.guide {
		for at < len(sums)-2 && sums[at+1]>>c.shift < uint64(k) {
			at++
		}
		c.guide[k] = uint64(at)
	}
	return c, nil
}

// free frees the arrays.
func (c Cumulative) free() {
	offheap.Free(c.Sums)
	offheap.Free(c.guide)
}
