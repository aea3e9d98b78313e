package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// AttemptsPerPick bounds how often Successive draws from the full table: AttemptsPerPick*k times. It is part of the law.
const AttemptsPerPick = 16

// Successive appends to picks k candidates of a row without replacement, each drawn in proportion to its bias among
// those that are left (successive sampling), until k are picked or no bias is left. Where there are no more than k
// candidates, it appends all that have a bias, in their order. It is
//
//	for k picks { draw by Alias, again while the draw was picked before }
//
// and after AttemptsPerPick*k draws, for each pick still missing, Scan over the biases that are left: the same law,
// since a draw that is thrown away tells nothing of the next.
func Successive(key rng.Key, k uint64, row []graph.AliasSlot, biases []uint32, picks []uint64) []uint64 {
	n := uint64(len(biases))
	if n <= k {
		for i, b := range biases {
			if b > 0 {
				picks = append(picks, uint64(i))
			}
		}
		return picks
	}
	first := len(picks)
	if len(row) == 0 {
		return picks
	}
	attempt := uint64(0)
	for ; attempt < AttemptsPerPick*k && uint64(len(picks)-first) < k; attempt++ {
		if i := uint64(Alias(key.Word(attempt), row)); !slices.Contains(picks[first:], i) {
			picks = append(picks, i)
		}
	}
	for ; uint64(len(picks)-first) < k; attempt++ {
		i := Scan(key.Word(attempt), int(n), func(i int) uint64 {
			if slices.Contains(picks[first:], uint64(i)) {
				return 0
			}
			return uint64(biases[i])
		})
		if i < 0 {
			break
		}
		picks = append(picks, uint64(i))
	}
	return picks
}
