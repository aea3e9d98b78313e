package selector

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

func TestSuccessiveSumsEqualSuccessiveSearch(t *testing.T) {
	var s Scratch
	for name, kind := range biasKinds {
		for _, n := range []int{0, 1, 2, 5, 17, 200} {
			for _, k := range []uint64{1, 2, 3, 16, 70, 150} {
				t.Run(fmt.Sprintf("%s/%d of %d", name, k, n), func(t *testing.T) {
					for seed := range uint64(8) {
						before := seed * 1000 // the sum of earlier biases
						biases, sums, sum := kindBiases(kind, n, seed), []uint64{}, before
						for _, b := range biases {
							sum += uint64(b)
							sums = append(sums, sum)
						}
						key := rng.Key(seed * 77)
						want := SuccessiveSearch(key, k, biases, nil)
						got := make([]uint64, min(k, uint64(n)))
						if got = got[:SuccessiveSums(key, k, before, sums, got, &s)]; !slices.Equal(got, want) {
							t.Fatalf("seed %d: %v, want %v", seed, got, want)
						}
					}
				})
			}
		}
	}
}
