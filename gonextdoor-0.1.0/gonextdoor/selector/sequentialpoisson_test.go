package selector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// SmallestAt equals SequentialPoisson, on numbers of which many, few or none are equal.
func TestSmallestAtEqualsSequentialPoisson(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 90; n++ {
		for _, distinct := range []uint32{1, 2, uint32(n), math.MaxUint32} {
			words, numbers, places := make([]uint64, n), make([]uint32, n), make([]uint32, n)
			for i := range words {
				numbers[i], places[i] = random.Uint32N(distinct), 1000+uint32(i)
				words[i] = uint64(numbers[i]) << 32
			}
			given := slices.Clone(numbers)
			for k := uint64(1); k <= uint64(n); k++ {
				want := SequentialPoisson(k, words, nil, nil)
				dst := make([]uint64, k+1)
				if got := SmallestAt(k, numbers, slices.Clone(places), 1<<40, dst); got != len(want) || dst[k] != 0 {
					t.Fatalf("%d picks of %d, want %d: %v", got, n, k, dst)
				}
				for i, p := range want {
					if dst[i] != 1<<40+1000+p {
						t.Fatalf("picks %v of %v, want %v", dst, numbers, want)
					}
				}
			}
			if !slices.Equal(numbers, given) {
				t.Fatal("SmallestAt changed the numbers")
			}
		}
	}
}

// SmallestRatiosAt equals SequentialPoisson, for ratios that differ, that are equal, and that have equal integer parts only.
func TestSmallestRatiosAtEqualsSequentialPoisson(t *testing.T) {
	var s Scratch
	random := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 60; n++ {
		for _, largest := range []uint32{1, 3, math.MaxUint32} {
			for _, bits := range []uint{64, 34, 3} {
				words, biases, places := make([]uint64, n), make([]uint32, n), make([]uint64, n)
				for i := range words {
					words[i], biases[i], places[i] = random.Uint64()>>(64-bits), 1+random.Uint32N(largest), 1000+uint64(i)
				}
				for k := uint64(1); k <= uint64(n); k++ {
					want := SequentialPoisson(k, words, biases, nil)
					dst := make([]uint64, k)
					got := SmallestRatiosAt(k, words, biases, slices.Clone(places), dst, &s)
					for i, p := range want {
						if got != len(want) || dst[i] != 1000+p {
							t.Fatalf("picks %v of %v with biases %v, want %v", dst[:got], words, biases, want)
						}
					}
				}
			}
		}
	}
}

// About as many candidates as wanted are below RatioLimit, and all with a bias if that is no fewer than the sum of biases.
func TestRatioLimit(t *testing.T) {
	for _, sum := range []uint64{1, 100, 1 << 33, 1 << 40, math.MaxUint64} {
		for _, expected := range []uint64{1, 17, 1 << 32, math.MaxUint64} {
			factor, shift := RatioLimit(expected, sum)
			limit := math.Ldexp(float64(factor), int(shift))
			if expected >= sum {
				if math.MaxUint64>>shift >= uint64(factor) {
					t.Errorf("%d of %d: the largest word with bias 1 is not below %d << %d", expected, sum, factor, shift)
				}
			} else if want := math.Ldexp(float64(expected)/float64(sum), 64); limit < want || limit > want*1.000001+1 {
				t.Errorf("%d of %d: limit %g, want %g", expected, sum, limit, want)
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
