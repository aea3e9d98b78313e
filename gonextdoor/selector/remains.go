package selector

import "math/bits"

// Remains are biases that candidates are drawn by one after the other, some being taken out in between: the fast form of
// Scan where it is repeated over the same biases, as in Deplete and Distinct. Each change and each draw takes log n steps.
type Remains struct {
	left  fenwick
	total uint64
}

// Fill begins with these biases. It is false where their sum is beyond 64 bits: they must be scanned then.
func (r *Remains) Fill(biases []uint64) bool {
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

// Draw gives the candidate that Scan gives, or -1.
func (r *Remains) Draw(word uint64) int64 {
	if r.total == 0 {
		return -1
	}
	at, _ := bits.Mul64(word, r.total)
	return int64(r.left.find(at))
}

// Drop takes a candidate out, whose bias is told.
func (r *Remains) Drop(i int, bias uint64) {
	r.left.subtract(i, bias)
	r.total -= bias
}
