package selector

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// someBiases returns biases that include 0 and large numbers, and rings of candidates that are removed together.
func someBiases(id, n uint64) (biases []uint64, alike []uint32) {
	key := rng.NewStream(id, rng.Edges).Key(0)
	last := map[uint64]uint32{}
	for i := range n {
		shift, _ := rng.Below(key.Word(2*i), 50)
		biases = append(biases, key.Word(2*i+1)>>14>>shift)
		group, _ := rng.Below(key.Word(3*i), 1+n/2)
		alike = append(alike, uint32(i))
		if first, ok := last[group]; ok {
			alike[i], alike[first] = alike[first], uint32(i)
		}
		last[group] = uint32(i)
	}
	return biases, alike
}

func TestScanWithoutAtEqualsScanWithout(t *testing.T) {
	var s Scratch
	for id := range uint64(400) {
		n, k := id%40, id%23
		for _, rings := range []bool{false, true} {
			biases, alike := someBiases(id, n)
			if !rings {
				for i := range alike {
					alike[i] = uint32(i)
				}
			}
			key, left := rng.NewStream(id, rng.Choices).Key(1), slices.Clone(biases)
			want := ScanWithout(key, k, left, func(i uint64) {
				for j, begun := uint32(i), false; j != uint32(i) || !begun; j = alike[j] {
					left[j], begun = 0, true
				}
			}, nil)
			if !rings {
				alike = nil
			}
			if got := ScanWithoutAt(key, 0, k, biases, alike, nil, &s); !slices.Equal(got, want) {
				t.Fatalf("%d of %d, rings %v: %v, expected %v", k, n, rings, got, want)
			}
		}
	}
}

func TestScanAtEqualsScan(t *testing.T) {
	var s Scratch
	for id := range uint64(300) {
		biases, _ := someBiases(id, 1+id%70)
		biases[0]++
		key := rng.NewStream(id, rng.Choices).Key(1)
		for j, got := range ScanAt(key, 20, biases, nil, &s) {
			if want := Scan(key.Word(uint64(j)), len(biases), func(i int) uint64 { return biases[i] }); int64(got) != want {
				t.Fatalf("word %d: %d, expected %d", j, got, want)
			}
		}
	}
}
