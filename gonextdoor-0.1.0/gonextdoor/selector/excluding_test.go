package selector

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Cases in which some candidates are excluded, almost all (so that the draws do not suffice), and none.
func TestExcludingAtEqualsExcluding(t *testing.T) {
	var s Scratch
	for name, kind := range biasKinds {
		for _, n := range []int{0, 1, 2, 5, 17, 200} {
			for _, k := range []uint64{0, 1, 2, 3, 16, 70, 150} {
				for _, every := range []int{1, 2, 7, 1000} {
					t.Run(fmt.Sprintf("%s/%d of %d/%d", name, k, n, every), func(t *testing.T) {
						for seed := range uint64(6) {
							biases, key := kindBiases(kind, n, seed), rng.Key(seed*77)
							var out []uint64
							for i := range n {
								if i%every == 0 && every < 1000 || every == 7 && i%40 != 1 {
									out = append(out, uint64(i))
								}
							}
							for _, replace := range []bool{false, true} {
								row := aliasRow(biases)
								want := Excluding(key, k, row, biases, replace, func(i uint64) bool { return slices.Contains(out, i) }, nil)
								got := make([]uint64, k)
								if got = got[:ExcludingAt(key, k, row, biases, replace, out, got, &s)]; !slices.Equal(got, want) {
									t.Fatalf("seed %d, replace %v: %v, want %v", seed, replace, got, want)
								}
							}
						}
					})
				}
			}
		}
	}
}

// Without exclusions, Excluding equals the selectors of complete rows.
func TestExcludingNone(t *testing.T) {
	none := func(uint64) bool { return false }
	for name, kind := range biasKinds {
		for _, n := range []int{1, 5, 200} {
			for seed := range uint64(10) {
				biases, key, k := kindBiases(kind, n, seed), rng.Key(seed*31), 1+seed*2
				row := aliasRow(biases)
				if got, want := Excluding(key, k, row, biases, false, none, nil), Successive(key, k, row, biases, nil); !slices.Equal(got, want) {
					t.Errorf("%s, seed %d: %v, Successive gives %v", name, seed, got, want)
				}
				var want []uint64
				for j := range k {
					if i := Alias(key.Word(j), row); i >= 0 {
						want = append(want, uint64(i))
					}
				}
				if got := Excluding(key, k, row, biases, true, none, nil); !slices.Equal(got, want) {
					t.Errorf("%s, seed %d: %v, Alias gives %v", name, seed, got, want)
				}
			}
		}
	}
}
