package selector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// SmallestAt equals SequentialPoisson, on words of which many, few or none are equal.
func TestSmallestAtEqualsSequentialPoisson(t *testing.T) {
	var s Scratch
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 90; n++ {
		for _, distinct := range []uint64{1, 2, uint64(n), math.MaxUint64} {
			words, places := make([]uint64, n), make([]uint64, n)
			for i := range words {
				words[i], places[i] = random.Uint64N(distinct), 1000+uint64(i)
			}
			given := slices.Clone(words)
			for k := uint64(1); k <= uint64(n); k++ {
				want := SequentialPoisson(k, words, nil, nil)
				dst := make([]uint64, k+1)
				if got := SmallestAt(k, words, slices.Clone(places), dst, &s); got != len(want) || dst[k] != 0 {
					t.Fatalf("%d picks of %d, want %d: %v", got, n, k, dst)
				}
				for i, p := range want {
					if dst[i] != 1000+p {
						t.Fatalf("picks %v of %v, want %v", dst, words, want)
					}
				}
			}
			if !slices.Equal(words, given) {
				t.Fatal("SmallestAt changed the words")
			}
		}
	}
}

// SequentialPoissonAt equals SequentialPoisson for small and extreme biases, with parallel edges and without.
func TestSequentialPoissonAtEqualsSequentialPoisson(t *testing.T) {
	var s Scratch
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 60 {
		for _, largest := range []uint32{1, 3, math.MaxUint32} {
			for _, several := range []uint32{2, math.MaxUint32} {
				stream := rng.Stream(random.Uint64())
				biases, words := make([]uint32, n), make([]uint64, n)
				for i := range words {
					biases[i] = uint32(random.Uint64N(uint64(largest) + 1))
					words[i] = uint64(stream.Key(uint64(random.Uint32N(several))))
				}
				for _, k := range []uint64{1, 2, 7, 30, 59, 60, 100} {
					want := SequentialPoisson(k, words, biases, nil)
					dst := make([]uint64, min(k, uint64(n)))
					got := SequentialPoissonAt(k, words, biases, dst, &s)
					if !slices.Equal(dst[:got], want) {
						t.Fatalf("%d of %v with biases %v: picks %v, want %v", k, words, biases, dst[:got], want)
					}
				}
			}
		}
	}
}

// PoissonLimit is the largest word that Poisson takes.
func TestPoissonLimit(t *testing.T) {
	for n := uint64(1); n < 200; n++ {
		for k := uint64(1); k < 210; k++ {
			limit := PoissonLimit(k, n)
			if i, _ := rng.Below(limit, n); i >= k {
				t.Fatalf("k = %d, n = %d: the limit %d is not taken", k, n, limit)
			}
			if i, _ := rng.Below(limit+1, n); limit < math.MaxUint64 && i < k {
				t.Fatalf("k = %d, n = %d: the word after the limit %d is taken", k, n, limit)
			}
		}
	}
	if PoissonLimit(1<<28, 1<<40) != 1<<52-1 {
		t.Error("another limit for a large row")
	}
}
