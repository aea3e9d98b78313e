package selector

import (
	"math"
	"math/bits"
)

// Rank selects i of n candidates with probability in proportion to n-i, or -1 if n is 0. n is at most 2^32-1. It is
//
//	Scan(word, n, func(i int) uint64 { return n - i })
//
// in O(1). The sum of the last k biases is k*(k+1)/2, so the rest of the sum after the drawn number gives i by a square root.
// Exact integers correct its rounding.
func Rank(word, n uint64) int64 {
	if n == 0 {
		return -1
	}
	total := n * (n + 1) / 2
	drawn, _ := bits.Mul64(word, total)
	rest := total - 1 - drawn
	k := uint64(math.Sqrt(float64(2*rest)+0.25) - 0.5)
	for k*(k+1)/2 > rest {
		k--
	}
	for (k+1)*(k+2)/2 <= rest {
		k++
	}
	return int64(n - 1 - k)
}
