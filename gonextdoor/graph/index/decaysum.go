package index

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// DecaySum is a sum of weights that decay exponentially with time: a floating-point number in an integer, in the order of
// the numbers. The upper 28 bits are the exponent plus 1, the lower 36 bits the mantissa without its leading bit; 0 is 0.
//
// Doubles do not suffice: their exponents end after 700 time scales. Sums are computed by integer arithmetic alone, so they
// are the same on every machine.
type DecaySum uint64

// DecayMantissa is the number of bits of the mantissa of a DecaySum.
const DecayMantissa = 36

// DecayGap is the longest time between two successive edges of a row, in time scales. A longer gap counts as this one, so
// exponents stay in their 28 bits. The later edges have a weight below 2^-40 of the earlier one in either case.
const DecayGap = 28

// Times returns s * word / 2^64, rounded down; numbers below 1 are rounded down to 0.
func (s DecaySum) Times(word uint64) DecaySum {
	mantissa := uint64(s)&(1<<DecayMantissa-1) | 1<<DecayMantissa
	high, low := bits.Mul64(mantissa, word)
	zeros := bits.LeadingZeros64(high)
	if high == 0 {
		high, low, zeros = low, 0, 64+bits.LeadingZeros64(low)
	}
	const leading = 63 - DecayMantissa // zeros before a mantissa
	exponent := int64(uint64(s)>>DecayMantissa) - int64(zeros-leading)
	if high == 0 || exponent < 1 {
		return 0
	}
	shift := zeros % 64
	mantissa = (high<<shift | low>>(64-shift)) >> leading
	return DecaySum(uint64(exponent)<<DecayMantissa | mantissa&(1<<DecayMantissa-1))
}

// wholeSum returns the number n as a sum. n is from 1 to below 2^(DecayMantissa+1).
func wholeSum(n uint64) DecaySum {
	exponent := bits.Len64(n) - 1
	return DecaySum(uint64(exponent+1)<<DecayMantissa | n<<(DecayMantissa-exponent)&(1<<DecayMantissa-1))
}

// Above maps the words to those by which Times returns at least a sum that is less than s, evenly and in their order.
func (s DecaySum) Above(least DecaySum, word uint64) uint64 {
	const one = 1 << DecayMantissa
	// 1. The first such word is 2^64 * least / s, rounded up. The leading bit of both mantissas is 1.
	first, lower := uint64(1), uint64(s)>>DecayMantissa-uint64(least)>>DecayMantissa
	if lower <= 64 {
		dividend, divisor := uint64(least)&(one-1)|one, uint64(s)&(one-1)|one
		quotient, rest := bits.Div64(dividend>>lower, dividend<<(64-lower), divisor)
		if first = quotient; rest > 0 {
			first++
		}
	}
	// 2. There are -first words from it on.
	above, _ := bits.Mul64(word, -first)
	return first + above
}

// DecaySums writes the sums of the weights of edges from each edge on. time returns the times of n edges, which are in order,
// ascending or descending. The weight of an edge at time t is exp((time(n-1) - t) / scale), with the gaps of DecayGap: the
// first edges weigh most. Sums depend on the edges after theirs only, so they serve every end of the row.
//
// Weights are exact to 2^-32 of themselves. Sums are added with 64 bits and then rounded down to DecayMantissa bits.
func DecaySums(n int, time func(i int) int64, scale uint64, sums []DecaySum) {
	high, longest := bits.Mul64(scale, DecayGap)
	if high != 0 {
		longest = math.MaxUint64
	}
	after, sum := uint64(0), binary{} // the time from the edge to the last one
	for i := n - 1; i >= 0; i-- {
		if i < n-1 {
			after += min(longest, between(time(i), time(i+1)))
		}
		sum = sum.plus(exponential(after, scale))
		sums[i] = DecaySum(uint64(sum.exponent+1)<<DecayMantissa | sum.mantissa<<1>>(64-DecayMantissa))
	}
}

// between returns the time between two edges.
func between(a, b int64) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a)
}

// binary is the number mantissa * 2^(exponent-63). The leading bit of the mantissa is 1; the zero value is 0.
type binary struct {
	mantissa uint64
	exponent int
}

// plus returns the sum, rounded down. b is not 0.
func (a binary) plus(b binary) binary {
	if a.mantissa == 0 {
		return b
	}
	if a.exponent < b.exponent {
		a, b = b, a
	}
	sum, carry := bits.Add64(a.mantissa, b.mantissa>>(a.exponent-b.exponent), 0)
	if carry == 0 {
		return binary{sum, a.exponent}
	}
	return binary{sum>>1 | 1<<63, a.exponent + 1}
}

// log2e is the logarithm of e to the base 2, in units of 2^-62, rounded down.
const log2e = 0x5C551D94AE0BF85D

// exponential returns exp(time / scale). The exponent to the base 2 is rounded down to 32 bits after the point.
func exponential(time, scale uint64) binary {
	high, low := bits.Mul64(time, log2e)
	x, _ := bits.Div64(high>>30, high<<34|low>>30, scale)
	powers := powersOfTwo()
	mantissa := uint64(1) << 63
	for k := range powers {
		high, low := bits.Mul64(mantissa, powers[k][x>>(8*k)&255])
		mantissa = high<<1 | low>>63
	}
	return binary{mantissa, int(x >> 32)}
}

// powersOfTwo returns the table of 2^(b * 2^(8k-32)) for byte k with the value b, in units of 2^-63, rounded down.
var powersOfTwo = sync.OnceValue(func() *[4][256]uint64 {
	const precision = 128
	powers := new([4][256]uint64)
	root := new(big.Int).Lsh(big.NewInt(2), precision) // 2^(2^-i), in units of 2^-precision
	var roots [32]*big.Int                             // roots[j] = 2^(2^(j-32))
	for j := 31; j >= 0; j-- {
		root = new(big.Int).Sqrt(new(big.Int).Lsh(root, precision))
		roots[j] = root
	}
	for k := range powers {
		for b := range powers[k] {
			product := new(big.Int).Lsh(big.NewInt(1), precision)
			for j := range 8 {
				if b>>j&1 == 1 {
					product.Rsh(product.Mul(product, roots[8*k+j]), precision)
				}
			}
			powers[k][b] = product.Rsh(product, precision-63).Uint64()
		}
	}
	return powers
})
