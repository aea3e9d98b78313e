package selector

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// extremeWords are words at the ends of the range, and words of a key.
func extremeWords(n uint64) []uint64 {
	words := []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64}
	key := rng.NewStream(3, rng.Choices).Key(n)
	for i := range uint64(200) {
		words = append(words, key.Word(i))
	}
	return words
}

func TestRankIsTheScanOfItsBiases(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 17, 1000, 4097} {
		words := extremeWords(n)
		for i := range n { // at the borders of every candidate, for short rows
			if n > 20 {
				break
			}
			total := n * (n + 1) / 2
			border := uint64(float64(i*n-i*(i-1)/2) / float64(total) * math.MaxUint64 / 2)
			words = append(words, 2*border, 2*border+1, 2*border-1)
		}
		for _, word := range words {
			want := Scan(word, int(n), func(i int) uint64 { return n - uint64(i) })
			if got := Rank(word, n); got != want {
				t.Fatalf("word %#x of %d candidates: %d, expected %d", word, n, got, want)
			}
		}
	}
}

// The sum of the biases of the longest rows takes all 64 bits.
func TestRankOfTheLongestRows(t *testing.T) {
	for _, n := range []uint64{1<<32 - 1, 1<<32 - 2, 1 << 31} {
		if first, last := Rank(0, n), Rank(math.MaxUint64, n); first != 0 || last != int64(n-1) {
			t.Errorf("%d candidates: the first %d, the last %d", n, first, last)
		}
		// A half of the sum is before candidate n * (1 - 1/sqrt(2)).
		middle := float64(n) * (1 - math.Sqrt(0.5))
		if i := Rank(1<<63, n); math.Abs(float64(i)-middle) > 2 {
			t.Errorf("%d candidates: the median is %d, expected %g", n, i, middle)
		}
	}
}

func TestDecayIsTheScanOfItsSums(t *testing.T) {
	for _, scale := range []uint64{1, 7, 1000, 1 << 40} {
		for n := range 70 {
			sums := make([]index.DecaySum, n)
			index.DecaySums(n, func(i int) int64 { return int64(i * i / 3) }, scale, sums)
			for _, word := range extremeWords(uint64(n)) {
				want := int64(-1)
				if n > 0 {
					level := sums[0].Times(word)
					for want = 0; int(want)+1 < n && sums[want+1] > level; want++ {
					}
				}
				if got := Decay(word, sums); got != want {
					t.Fatalf("word %#x of %d candidates, scale %d: %d, expected %d", word, n, scale, got, want)
				}
			}
		}
	}
}
