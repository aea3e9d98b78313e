package selector

import "gonextdoor/gonextdoor/rng"

// Uniform selects each of n candidates with probability 1/n, or -1 if n is 0. It is
//
//	word * n / 2^64
func Uniform(word, n uint64) int64 {
	if n == 0 {
		return -1
	}
	i, _ := rng.Below(word, n)
	return int64(i)
}
