package selector

import (
	"slices"

	"gonextdoor/gonextdoor/rng"
)

// Permute appends k of n candidates to picks without replacement, uniformly at random among all ordered choices, by Floyd's
// algorithm P (Bentley & Floyd, CACM 1987). If n is at most k, it appends all in order. It is
//
//	for i := range k {
//		top := n - k + i
//		r := key.Word(i) * (top+1) / 2^64
//		if r was not picked { append r } else { insert top right before r }
//	}
func Permute(key rng.Key, k, n uint64, picks []uint64) []uint64 {
	if n <= k {
		for i := range n {
			picks = append(picks, i)
		}
		return picks
	}
	first := len(picks)
	for i := range k {
		top := n - k + i
		r, _ := rng.Below(key.Word(i), top+1)
		if at := slices.Index(picks[first:], r); at >= 0 {
			picks = slices.Insert(picks, first+at, top)
		} else {
			picks = append(picks, r)
		}
	}
	return picks
}
