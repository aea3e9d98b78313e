package selector

import "math/bits"

// Sums holds numbers in a Fenwick tree, for Scan over biases of which few change between draws. A change takes O(log n).
type Sums struct {
	tree  fenwick
	total uint64
}

// NewSums returns n zeros.
func NewSums(n int) Sums { return Sums{tree: make(fenwick, n+1)} }

// Add adds x to number i, modulo 2^64. The sum of all numbers must stay below 2^64.
func (s *Sums) Add(i int, x uint64) {
	s.total += x
	s.tree.subtract(i, -x)
}

// Scan is the function Scan over the numbers, in O(log n).
func (s *Sums) Scan(word uint64) int64 {
	if s.total == 0 {
		return -1
	}
	r, _ := bits.Mul64(word, s.total)
	return int64(s.tree.find(r))
}
