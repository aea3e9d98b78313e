package selector

import "math/bits"

// FenwickSampler draws candidates in proportion to biases that are removed one by one, by a Fenwick tree. It is the fast form
// of repeated Scan draws over the same biases, as in ScanWithout and Distinct. Each draw and each removal takes O(log n). Call
// Fill first; it reuses the memory of earlier biases.
type FenwickSampler struct {
	left  fenwick // the remaining biases
	total uint64  // their sum
}

// Fill replaces the biases. It returns false if their sum exceeds 64 bits; the caller must then use Scan.
func (r *FenwickSampler) Fill(biases []uint64) bool {
	r.total = 0
	for _, b := range biases {
		sum, carry := bits.Add64(r.total, b, 0)
		if carry != 0 {
			return false
		}
		r.total = sum
	}
	fill(&r.left, biases)
	return true
}

// Draw returns the candidate that Scan selects for the word, or -1 if all remaining biases are 0.
func (r *FenwickSampler) Draw(word uint64) int64 {
	if r.total == 0 {
		return -1
	}
	at, _ := bits.Mul64(word, r.total)
	return int64(r.left.find(at))
}

// Drop removes candidate i, which has the given bias.
func (r *FenwickSampler) Drop(i int, bias uint64) {
	r.left.subtract(i, bias)
	r.total -= bias
}
