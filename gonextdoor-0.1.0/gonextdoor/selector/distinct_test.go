package selector

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// alike is a row of candidates, some of which lead to the same vertex: at most one of each group is picked.
type alike struct {
	biases []uint64
	group  []int
}

var alikes = []alike{
	{[]uint64{1, 2, 3}, []int{0, 1, 2}},
	{[]uint64{5, 5, 5, 5}, []int{0, 1, 0, 1}},
	{[]uint64{1, 0, 5, 2, 0}, []int{0, 1, 2, 0, 3}},
	{[]uint64{1, math.MaxUint64, 1 << 60, 2}, []int{0, 0, 1, 2}}, // one bias dominates, so the attempts do not suffice
	{[]uint64{1, 10, 100, 1000, 10000}, []int{0, 1, 2, 3, 3}},
	{[]uint64{7}, []int{0}},
	{[]uint64{0, 0}, []int{0, 1}},
}

// distribution returns the distribution of k successive picks, each in proportion to the biases of the groups not picked before.
func (a alike) distribution(k int) stattest.Distribution {
	return orderedBy(floats(a.biases), k, func(left []float64, i int) {
		for j := range left {
			if a.group[j] == a.group[i] {
				left[j] = 0
			}
		}
	})
}

func TestScanWithoutHasTheOrderedDistribution(t *testing.T) {
	for _, a := range alikes {
		for _, k := range []int{1, 3} {
			assertDistribution(t, fmt.Sprint("scan without ", k, " of ", a), a.distribution(k), func(key rng.Key) []uint64 {
				left := slices.Clone(a.biases)
				return ScanWithout(key, uint64(k), left, func(i uint64) {
					for j := range left {
						if a.group[j] == a.group[i] {
							left[j] = 0
						}
					}
				}, []uint64{})
			})
		}
	}
}

// The distribution is the same for draws in proportion to the biases and for uniform proposals that are accepted under a bound.
func TestDistinctHasTheOrderedDistribution(t *testing.T) {
	for _, a := range alikes {
		most := slices.Max(a.biases)
		for name, draw := range map[string]func(word uint64) int64{
			"by scan": func(word uint64) int64 {
				return Scan(word, len(a.biases), func(i int) uint64 { return a.biases[i] })
			},
			"under a bound": func(word uint64) int64 {
				if i, level := Propose(word, uint64(len(a.biases)), most); a.biases[i] > level {
					return int64(i)
				}
				return -1
			},
		} {
			const k = 2
			assertDistribution(t, fmt.Sprint("distinct ", name, ", of ", a), a.distribution(k), func(key rng.Key) []uint64 {
				out := map[int]bool{}
				bias := func(i int) uint64 {
					if out[a.group[i]] {
						return 0
					}
					return a.biases[i]
				}
				take := func(i uint64) bool {
					was := out[a.group[i]]
					out[a.group[i]] = true
					return !was
				}
				return Distinct(key, k, len(a.biases), draw, bias, take, []uint64{})
			})
		}
	}
}

// A proposal is accepted with probability bias/bound up to 2^-64, even for the smallest bias and the largest bound of 32 bits,
// for which 32 bits of the word would accept it twice as often.
func TestProposeIsExactUnderLooseBounds(t *testing.T) {
	for _, c := range []struct{ bias, bound uint64 }{
		{1, 1<<32 - 1}, {1, 3 << 30}, {1<<32 - 2, 1<<32 - 1}, {1, math.MaxUint64}, {5, 5}, {3, 7},
	} {
		accepted := func(word uint64) bool { _, level := Propose(word, 1, c.bound); return level < c.bias }
		low, high := uint64(0), uint64(math.MaxUint64) // the words that accept are the lowest
		for low < high {
			if middle := high - (high-low)/2; accepted(middle) {
				low = middle
			} else {
				high = middle - 1
			}
		}
		if got, want := float64(low)/0x1p64, float64(c.bias)/float64(c.bound); math.Abs(got/want-1) > 1e-9 && math.Abs(got-want) > 0x1p-63 {
			t.Errorf("a bias of %d under %d is accepted with probability %v, expected %v", c.bias, c.bound, got, want)
		}
	}
}
