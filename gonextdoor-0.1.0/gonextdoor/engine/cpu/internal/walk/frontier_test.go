package walk

import (
	"testing"

	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// The tree of sums gives the result of a scan after any sequence of updates.
func TestSumsFindWhatAScanFinds(t *testing.T) {
	for _, capacity := range []int{1, 2, 8, 64} {
		sums, degrees := make([]uint64, capacity), make([]uint64, capacity)
		for i := range uint64(400) {
			key := rng.NewStream(3, rng.Choices).Key(i)
			k, _ := rng.Below(key.Word(0), uint64(capacity))
			d, _ := rng.Below(key.Word(1), 9)
			addDegree(sums, int(k), d-degrees[k])
			degrees[k] = d
			want := selector.Scan(key.Word(2), capacity, func(i int) uint64 { return degrees[i] })
			if want < 0 {
				if sums[0] != 0 {
					t.Fatalf("capacity %d: a sum of %d", capacity, sums[0])
				}
				continue
			}
			if r, _ := rng.Below(key.Word(2), sums[0]); find(sums, r) != int(want) {
				t.Fatalf("capacity %d: found %d, a scan %d in %v", capacity, find(sums, r), want, degrees)
			}
		}
	}
}
