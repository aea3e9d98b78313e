package selector

import "math/bits"

// Propose returns one of n candidates, each with probability 1/n, and a level below bound. The caller accepts the candidate
// if its bias exceeds the level, which has probability bias/bound. It is
//
//	i, rest = high and low half of word * n; level = rest * bound / 2^64
//
// The relative error of the level is at most n/2^64 of the bound. Even a bias of 1 under a bound of 2^32 is thus accepted with
// the right probability, up to a relative error of n/2^32.
func Propose(word, n, bound uint64) (i, level uint64) {
	i, rest := bits.Mul64(word, n)
	level, _ = bits.Mul64(rest, bound)
	return i, level
}
