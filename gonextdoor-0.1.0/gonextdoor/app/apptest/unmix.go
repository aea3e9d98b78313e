package apptest

import "gonextdoor/gonextdoor/rng"

// keyOf returns the key whose word at a slot is the given one. It inverts Mix, which is a bijection.
func keyOf(word, slot uint64) rng.Key { return rng.Key(unmix(word) ^ (slot+1)*rng.Gamma) }

func unmix(x uint64) uint64 {
	x = unshift(x, 31) * inverse(rng.Mul2)
	x = unshift(x, 27) * inverse(rng.Mul1)
	return unshift(x, 30)
}

// unshift inverts x ^ x>>by.
func unshift(x uint64, by uint) uint64 {
	for shifted := x >> by; shifted != 0; shifted >>= by {
		x ^= shifted
	}
	return x
}

// inverse returns 1/x modulo 2^64 by Newton's iteration, which doubles the number of correct bits.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}
