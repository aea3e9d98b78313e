package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// AttemptsPerPick*k is the largest number of draws of Successive from the full table. It is part of the reproducibility
// contract.
const AttemptsPerPick = 16

// Successive appends k candidates of a row to picks without replacement. Each is drawn in proportion to its bias among the
// remaining ones (successive sampling), until k are picked or all remaining biases are 0. If the row has at most k candidates,
// it appends all with a non-zero bias in row order. It is
//
//	for k picks { draw by Alias, again while the draw was picked before }
//
// After AttemptsPerPick*k draws, each missing pick is drawn by Scan over the remaining biases. The distribution is the same,
// because a rejected draw is independent of the next.
func Successive(key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, picks []uint64) []uint64 {
	if len(row) == 0 && uint64(len(biases)) > k {
		return picks
	}
	return successive(key, k, biases, picks, func(word uint64) int64 { return Alias(word, row) })
}

// SuccessiveSearch is Successive with Search in place of Alias, that is, with draws by Scan over all biases. Prefix sums can be
// used for every prefix of a row; an alias table only for the complete row.
func SuccessiveSearch(key rng.Key, k uint64, biases []uint32, picks []uint64) []uint64 {
	return successive(key, k, biases, picks, func(word uint64) int64 { return scanAll(word, biases) })
}

// scanAll is Scan over an array of biases.
func scanAll(word uint64, biases []uint32) int64 {
	return Scan(word, len(biases), func(i int) uint64 { return uint64(biases[i]) })
}

// successive is Successive with draws from the complete row by draw, which returns -1 if all biases are 0.
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
