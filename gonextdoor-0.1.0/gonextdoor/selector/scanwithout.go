package selector

import "gonextdoor/gonextdoor/rng"

// ScanWithout appends k of len(biases) candidates to picks without replacement. Each is drawn in proportion to its bias among
// the remaining ones. It stops after k picks, or earlier if all remaining biases are 0. Results report it as "Deplete". It is
//
//	for j := range k { i := Scan(key.Word(j), biases); append i; drop(i) }
//
// drop sets the biases of all candidates that pick i removes to 0, including that of i.
func ScanWithout(key rng.Key, k uint64, biases []uint64, drop func(i uint64), picks []uint64) []uint64 {
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
