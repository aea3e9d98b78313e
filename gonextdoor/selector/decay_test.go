package selector_test

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// The choice among the first candidates has their weights, whatever the others weigh, and never leads to the others.
func TestDecayBeforeIsTheChoiceAmongTheFirst(t *testing.T) {
	const n, draws = 40, 200_000
	for _, scale := range []uint64{1, 7, 1000} {
		sums := make([]index.DecaySum, n)
		index.DecaySums(n, func(i int) int64 { return int64(i) }, scale, sums)
		for _, first := range []int{1, 2, 7, n - 1, n} {
			counts, total := make([]float64, n), 0.0
			key := rng.NewStream(scale, rng.Choices).Key(uint64(first))
			for k := range uint64(draws) {
				counts[selector.DecayBefore(key.Word(k), sums, first)]++
			}
			for i := range first {
				total += math.Exp(-float64(i) / float64(scale))
			}
			for i := range n {
				want := 0.0
				if i < first {
					want = draws * math.Exp(-float64(i)/float64(scale)) / total
				}
				if math.Abs(counts[i]-want) > 6*math.Sqrt(want)+1 {
					t.Errorf("scale %d, %d of %d: candidate %d was chosen %v times, expected %.0f", scale, first, n, i, counts[i], want)
				}
			}
			for _, word := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
				if i := selector.DecayBefore(word, sums, first); i < 0 || i >= int64(first) {
					t.Errorf("scale %d, %d of %d: word %#x chooses %d", scale, first, n, word, i)
				}
			}
		}
	}
	if i := selector.DecayBefore(5, make([]index.DecaySum, 3), 0); i != -1 {
		t.Errorf("none of 3 candidates: %d", i)
	}
}
