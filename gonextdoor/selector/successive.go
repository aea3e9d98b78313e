package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
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
func Successive(key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, picks []uint64) []uint64 {
	if len(row) == 0 && uint64(len(biases)) > k {
		return picks
	}
	return successive(key, k, biases, picks, func(word uint64) int64 { return Alias(word, row) })
}

// SuccessiveSearch is Successive with Search in the place of Alias: running sums serve every beginning of a row, alias
// tables the whole row alone. It is Successive with draws by Scan over all biases.
func SuccessiveSearch(key rng.Key, k uint64, biases []uint32, picks []uint64) []uint64 {
	return successive(key, k, biases, picks, func(word uint64) int64 { return scanAll(word, biases) })
}

func scanAll(word uint64, biases []uint32) int64 {
	return Scan(word, len(biases), func(i int) uint64 { return uint64(biases[i]) })
}

// successive is Successive with draws from the whole row by draw, which gives -1 where there is no bias.
func successive(key rng.Key, k uint64, biases []uint32, picks []uint64, draw func(word uint64) int64) []uint64 {
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
	attempt := uint64(0)
	for ; attempt < AttemptsPerPick*k && uint64(len(picks)-first) < k; attempt++ {
		if i := draw(key.Word(attempt)); i >= 0 && !slices.Contains(picks[first:], uint64(i)) {
			picks = append(picks, uint64(i))
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
