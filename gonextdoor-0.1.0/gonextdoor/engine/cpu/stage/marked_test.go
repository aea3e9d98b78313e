package stage

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

func TestMarkedFindsTheBits(t *testing.T) {
	for n := range 200 {
		bits := numbers[uint64](2, 1<<63, rng.Key(n))
		ends := numbers[uint32](n, 128, rng.Key(n+1000))
		var want []uint32
		for i, u := range ends {
			if bits[u/64]&(1<<(u%64)) != 0 {
				want = append(want, uint32(i))
			}
		}
		hits := make([]uint32, n+MarkedSlack)
		if got := hits[:Marked(&bits[0], ends, &hits[0])]; !slices.Equal(got, want) {
			t.Fatalf("%v, expected %v", got, want)
		}
	}
}
