package selector

import "math/bits"

// Scan selects i with probability bias(i)/sum, or -1 if the sum is 0, by inverse transform. It is
//
//	r := word * sum / 2^64; for i := range n { if r < bias(i) { return i }; r -= bias(i) }
//
// Sums are exact in 128 bits, so biases may use all 64 bits. It calls bias up to 2n times.
func Scan(word uint64, n int, bias func(i int) uint64) int64 {
	var hi, lo, carry uint64
	for i := range n {
		lo, carry = bits.Add64(lo, bias(i), 0)
		hi += carry
	}
	if hi|lo == 0 {
		return -1
	}
	// r = word * (hi:lo) >> 64
	low, _ := bits.Mul64(word, lo)
	rhi, rlo := bits.Mul64(word, hi)
	rlo, carry = bits.Add64(rlo, low, 0)
	rhi += carry
	for i := range n {
		b := bias(i)
		if rhi == 0 && rlo < b {
			return int64(i)
		}
		var borrow uint64
		rlo, borrow = bits.Sub64(rlo, b, 0)
		rhi -= borrow
	}
	panic("selector: scan ran past the sum of its biases")
}
