package stage

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

func TestReadEnds(t *testing.T) {
	indices := make([]uint32, 1000)
	for i := range indices {
		indices[i] = uint32(i * 7)
	}
	for _, known := range []int{0, 1, 500, 999, 1000} {
		for _, n := range []int{0, 1, endBlock - 1, endBlock, endBlock + 1, 2 * endBlock, 5*endBlock + 3} {
			checkEnds[uint32](t, indices[:known], n)
			checkEnds[uint64](t, indices[:known], n)
		}
	}
}

// checkEnds reads n end points at positions of which some are not known, and fails if one of them is wrong.
func checkEnds[P uint32 | uint64](t *testing.T, indices []uint32, n int) {
	t.Helper()
	key, positions, want := rng.NewStream(1, rng.Choices).Key(uint64(n)), make([]P, n), make([]uint32, n+1)
	got := make([]uint32, n+1)
	for i := range positions {
		p, _ := rng.Below(key.Word(uint64(i)), 1000)
		positions[i], want[i] = P(p), graph.None
		if int(p) < len(indices) {
			want[i] = indices[p]
		}
	}
	want[n], got[n] = 77, 77 // after the end
	ReadEnds(got[:n], indices, positions)
	if !slices.Equal(got, want) {
		t.Errorf("%d positions, of which %d are known: %v, expected %v", n, len(indices), got, want)
	}
}
