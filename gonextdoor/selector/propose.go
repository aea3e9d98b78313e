package selector

import "math/bits"

// Propose returns one of n candidates, each with probability 1/n, and a level below bound. The caller accepts the candidate
// if its bias exceeds the level, which has probability bias/bound. It is
//
//	i, rest = high and low half of word * n; level = rest * bound / 2^64
//
// The level is off by no more than n/2^64 of the bound, so that a bias of 1 under a bound of 2^32 is still accepted as
// often as it should be, to 1 in 2^32/n.
func Propose(word, n, bound uint64) (i, level uint64) {
	i, rest := bits.Mul64(word, n)
	level, _ = bits.Mul64(rest, bound)
	return i, level
}
