package selector

import "math/bits"

// Sums are numbers under their running sums, which change in log n steps: for Scan over biases of which few change from
// draw to draw.
type Sums struct {
	tree  fenwick
	total uint64
}

// NewSums gives n zeros.
func NewSums(n int) Sums { return Sums{tree: make(fenwick, n+1)} }

// Add adds x to number i, modulo 2^64. No number may pass 2^64 in sum with the others.
func (s *Sums) Add(i int, x uint64) {
	s.total += x
	s.tree.subtract(i, -x)
}

// Scan is Scan over the numbers.
func (s *Sums) Scan(word uint64) int64 {
	if s.total == 0 {
		return -1
	}
	r, _ := bits.Mul64(word, s.total)
	return int64(s.tree.find(r))
}
