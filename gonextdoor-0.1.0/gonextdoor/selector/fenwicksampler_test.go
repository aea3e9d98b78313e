package selector

import (
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

func TestFenwickSamplerDrawsAsScanWithout(t *testing.T) {
	var r FenwickSampler
	for name, kind := range biasKinds {
		for id := range uint64(200) {
			key := rng.NewStream(9, rng.Choices).Key(id)
			biases := make([]uint64, id%50)
			for i, b := range kindBiases(kind, len(biases), id) {
				biases[i] = uint64(b) << (id % 27)
			}
			left := slices.Clone(biases)
			k := id % 9
			want := ScanWithout(key, k, left, func(i uint64) { left[i] = 0 }, nil)
			var got []uint64
			if !r.Fill(biases) {
				t.Fatal("the sum fits in 64 bits")
			}
			for j := range k {
				i := r.Draw(key.Word(j))
				if i < 0 {
					break
				}
				got = append(got, uint64(i))
				r.Drop(int(i), biases[i])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %d of %v: %v, expected %v", name, k, biases, got, want)
			}
		}
	}
	if r.Fill([]uint64{math.MaxUint64, 1}) {
		t.Error("a sum of 2^64 does not fit")
	}
}
