package selector

import (
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Scan over changing sums equals Scan over the current numbers.
func TestSumsAreScan(t *testing.T) {
	key := rng.Key(1)
	for n := range 40 {
		numbers, sums := make([]uint64, n), NewSums(n)
		for round := range uint64(60) {
			word := key.Word(uint64(n)<<32 | round)
			want := Scan(word, n, func(i int) uint64 { return numbers[i] })
			if got := sums.Scan(word); got != want {
				t.Fatalf("numbers %v, word %#x: %d, expected %d", numbers, word, got, want)
			}
			if n == 0 {
				continue
			}
			at, _ := rng.Below(rng.Mix(word), uint64(n))
			to := rng.Mix(word+1) >> (8 + round%40)
			if round%3 == 0 {
				to = 0
			}
			sums.Add(int(at), to-numbers[at])
			numbers[at] = to
		}
	}
}
