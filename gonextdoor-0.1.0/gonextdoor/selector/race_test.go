package selector

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// The time is the logarithm up to 32 units in the last place, including the ends of the range.
func TestArrivalTimeIsALogarithm(t *testing.T) {
	words := []uint64{0, 1, 2, 3, 1 << 63, 1<<63 - 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 62, 3 << 62}
	for i := range uint64(2000) {
		words = append(words, rng.NewStream(3, rng.Choices).Key(i).Word(0)>>(i%64))
	}
	for _, w := range words {
		// math.Log1p is exact enough after the exponent and 20 leading bits are taken off in exact arithmetic.
		got := new(big.Float).SetUint64(ArrivalTime(w))
		if want := exactTime(max(w, 1)); new(big.Float).Sub(got, want).Abs(new(big.Float).Sub(got, want)).Cmp(big.NewFloat(32)) > 0 {
			t.Fatalf("word %#x: %v, want %v", w, got.Text('f', 0), want.Text('f', 1))
		}
	}
}

// exactTime returns -log2(w/2^64) * 2^57, bit by bit: the square of a number in [1, 2) has twice its logarithm.
func exactTime(w uint64) *big.Float {
	x := new(big.Float).SetPrec(400).SetUint64(w)
	exponent := x.MantExp(x) - 1 // x in [1/2, 1)
	x.Mul(x, big.NewFloat(2))
	log := new(big.Float).SetPrec(400).SetInt64(int64(exponent))
	bit := new(big.Float).SetPrec(400).SetInt64(1)
	two := big.NewFloat(2)
	for range 90 {
		bit.Quo(bit, two)
		if x.Mul(x, x); x.Cmp(two) >= 0 {
			x.Quo(x, two)
			log.Add(log, bit)
		}
	}
	return new(big.Float).Mul(new(big.Float).Sub(big.NewFloat(64), log), new(big.Float).SetMantExp(big.NewFloat(1), 57))
}

func TestRaceHasTheOrderedDistribution(t *testing.T) {
	for _, c := range successiveRows {
		biases := make([]uint64, len(c.biases))
		for i, b := range c.biases {
			biases[i] = uint64(b)
		}
		assertDistribution(t, fmt.Sprint(c.k, " of ", c.biases), ordered(floats(c.biases), int(c.k)), func(key rng.Key) []uint64 {
			return Race(key, c.k, biases, []uint64{})
		})
	}
}
