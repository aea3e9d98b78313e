package build

import "gonextdoor/gonextdoor/rng"

// scramble is a pseudo-random permutation of the numbers below 2^bits, without a table. It is
//
//	for each round { x = x*odd + add mod 2^bits; x ^= x >> (bits+1)/2 }
//
// and each of these steps is invertible.
type scramble struct {
	mask, half uint32
	rounds     [4]struct{ odd, add uint32 }
}

// newScramble returns the permutation of a seed.
func newScramble(seed uint64, bits uint) scramble {
	s := scramble{mask: uint32(1<<bits - 1), half: uint32(bits+1) / 2}
	key := rng.NewStream(seed, rng.Order).Key(0)
	for i := range s.rounds {
		word := key.Word(uint64(i))
		s.rounds[i].odd, s.rounds[i].add = uint32(word)|1, uint32(word>>32)
	}
	return s
}

// of returns the image of x.
func (s *scramble) of(x uint32) uint32 {
	for _, r := range s.rounds {
		x = (x*r.odd + r.add) & s.mask
		x ^= x >> s.half
	}
	return x
}
