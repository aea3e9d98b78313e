package selector

import (
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Scan over sums that change is Scan over the numbers as they are.
func TestSumsAreScan(t *testing.T) {
	key := rng.Key(1)
	for n := range 40 {
		numbers, sums := make([]uint64, n), NewSums(n)
		for turn := range uint64(60) {
			word := key.Word(uint64(n)<<32 | turn)
			want := Scan(word, n, func(i int) uint64 { return numbers[i] })
			if got := sums.Scan(word); got != want {
				t.Fatalf("numbers %v, word %#x: %d, expected %d", numbers, word, got, want)
			}
			if n == 0 {
				continue
			}
			at, _ := rng.Below(rng.Mix(word), uint64(n))
			to := rng.Mix(word+1) >> (8 + turn%40)
			if turn%3 == 0 {
				to = 0
			}
			sums.Add(int(at), to-numbers[at])
			numbers[at] = to
		}
	}
}
