package index

import (
	"math"
	"math/big"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// value returns a DecaySum as a number.
func value(s DecaySum) *big.Float {
	if s == 0 {
		return new(big.Float)
	}
	mantissa := new(big.Float).SetUint64(uint64(s)&(1<<DecayMantissa-1) | 1<<DecayMantissa)
	return mantissa.SetMantExp(mantissa, int(uint64(s)>>DecayMantissa)-1-DecayMantissa)
}

// relative returns the difference of two numbers as a share of the second.
func relative(a, b *big.Float) float64 {
	x, _ := new(big.Float).Quo(new(big.Float).Sub(a, b), b).Float64()
	return math.Abs(x)
}

func TestExponentialIsThatOfRealNumbers(t *testing.T) {
	for _, scale := range []uint64{1, 3, 1000, 1 << 40, math.MaxUint64} {
		for _, ratio := range []float64{0, 1e-9, 0.1, 0.5, 0.693, 1, 2, 27.9, 300} {
			time := uint64(ratio * float64(scale))
			if ratio*float64(scale) >= math.MaxUint64 {
				continue
			}
			got := exponential(time, scale)
			if got.mantissa>>63 != 1 {
				t.Fatalf("exp(%d/%d) is not normalized: %+v", time, scale, got)
			}
			want := math.Exp(float64(time) / float64(scale))
			is := math.Ldexp(float64(got.mantissa), got.exponent-63)
			if math.Abs(is/want-1) > 1e-9 {
				t.Errorf("exp(%d/%d) = %g, expected %g", time, scale, is, want)
			}
		}
	}
}

// The sums of exponents beyond those of a double are exact to about 36 bits, in both directions of time.
func TestDecaySumsAreThoseOfRealNumbers(t *testing.T) {
	const n = 300
	for _, scale := range []uint64{1, 5, 100, 1 << 30} {
		times := make([]int64, n)
		for i := range times[1:] {
			gap, _ := rng.Below(rng.NewStream(5, rng.Choices).Key(scale).Word(uint64(i)), 60)
			times[i+1] = times[i] + int64(gap)
		}
		sums, mirrored := make([]DecaySum, n), make([]DecaySum, n)
		DecaySums(n, func(i int) int64 { return times[i] }, scale, sums)
		DecaySums(n, func(i int) int64 { return -times[i] }, scale, mirrored)
		want := new(big.Float).SetPrec(200)
		exponent := 0.0 // to the base 2, of the weight of the edge
		for i := n - 1; i >= 0; i-- {
			if sums[i] != mirrored[i] {
				t.Fatalf("scale %d, edge %d: %#x, but %#x in the other direction", scale, i, sums[i], mirrored[i])
			}
			if i < n-1 {
				exponent += math.Log2E * math.Min(DecayGap, float64(times[i+1]-times[i])/float64(scale))
			}
			whole := math.Floor(exponent)
			weight := new(big.Float).SetPrec(200).SetFloat64(math.Exp2(exponent - whole))
			want.Add(want, weight.SetMantExp(weight, int(whole)))
			if d := relative(value(sums[i]), want); d > 1e-8 {
				t.Fatalf("scale %d, edge %d: %g, expected %g (by %g)", scale, i, value(sums[i]), want, d)
			}
		}
	}
}

func TestTimesIsTheProductRoundedDown(t *testing.T) {
	key := rng.NewStream(6, rng.Choices).Key(0)
	words := []uint64{0, 1, 2, 1<<27 - 1, 1 << 27, 1<<32 + 1, 1 << 63, math.MaxUint64}
	for i := range uint64(50) {
		words = append(words, key.Word(i), key.Word(i)>>(i+1))
	}
	for i := range uint64(400) {
		s := DecaySum(key.Word(1000+i) >> 36 % 200 << DecayMantissa)
		if s != 0 {
			s |= DecaySum(key.Word(2000+i) >> (64 - DecayMantissa))
		}
		for _, word := range words {
			exact := new(big.Float).SetPrec(200).Mul(value(s), new(big.Float).SetUint64(word))
			exact.SetMantExp(exact, -64)
			got := s.Times(word)
			next := got + 1 // the next number
			if got == 0 {
				next = 1 << DecayMantissa
			}
			if s != 0 && (value(got).Cmp(exact) > 0 || value(next).Cmp(exact) <= 0) || s == 0 && got != 0 {
				t.Fatalf("%#x times %#x is %#x", s, word, got)
			}
		}
	}
}

// Above maps the least word to the first that Times takes to at least the sum, and keeps the order and the largest word.
func TestAboveIsTheRangeOfWords(t *testing.T) {
	key := rng.NewStream(7, rng.Choices).Key(0)
	for i := range uint64(3000) {
		s := DecaySum(1+key.Word(2*i)>>36%150)<<DecayMantissa | DecaySum(key.Word(2*i)%(1<<DecayMantissa))
		least := s - DecaySum(1+key.Word(2*i+1)>>(i%63)%uint64(s-1<<DecayMantissa))
		first := s.Above(least, 0)
		if s.Times(first) < least || s.Times(first-1) >= least {
			t.Fatalf("%#x and %#x: the first word is %#x, by which the sum is %#x, and by the one before %#x",
				s, least, first, s.Times(first), s.Times(first-1))
		}
		if last := s.Above(least, math.MaxUint64); last < math.MaxUint64-1 {
			t.Fatalf("%#x and %#x: the last word is %#x", s, least, last)
		}
		if half := s.Above(least, 1<<63); half-first != (-first)/2 {
			t.Fatalf("%#x and %#x: half of the words are from %#x to %#x", s, least, first, half)
		}
	}
}
