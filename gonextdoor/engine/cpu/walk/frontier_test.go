package walk

import (
	"testing"

	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// The tree of sums finds what a scan finds, whatever was raised and lowered.
func TestSumsFindWhatAScanFinds(t *testing.T) {
	for _, room := range []int{1, 2, 8, 64} {
		sums, degrees := make([]uint64, room), make([]uint64, room)
		for i := range uint64(400) {
			key := rng.NewStream(3, rng.Choices).Key(i)
			k, _ := rng.Below(key.Word(0), uint64(room))
			d, _ := rng.Below(key.Word(1), 9)
			addDegree(sums, int(k), d-degrees[k])
			degrees[k] = d
			want := selector.Scan(key.Word(2), room, func(i int) uint64 { return degrees[i] })
			if want < 0 {
				if sums[0] != 0 {
					t.Fatalf("room %d: a sum of %d", room, sums[0])
				}
				continue
			}
			if r, _ := rng.Below(key.Word(2), sums[0]); find(sums, r) != int(want) {
				t.Fatalf("room %d: found %d, a scan %d in %v", room, find(sums, r), want, degrees)
			}
		}
	}
}
