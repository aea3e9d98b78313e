package selector

import "gonextdoor/gonextdoor/rng"

// Deplete appends to picks k of len(biases) candidates without replacement, each drawn in proportion to its bias among
// those that are left, until k are picked or no bias is left. It is
//
//	for j := range k { i := Scan(key.Word(j), biases); append i; drop(i) }
//
// drop sets the biases to 0 that pick i takes out: its own at least.
func Deplete(key rng.Key, k uint64, biases []uint64, drop func(i uint64), picks []uint64) []uint64 {
	for j := range k {
		i := Scan(key.Word(j), len(biases), func(i int) uint64 { return biases[i] })
		if i < 0 {
			break
		}
		picks = append(picks, uint64(i))
		drop(uint64(i))
	}
	return picks
}
