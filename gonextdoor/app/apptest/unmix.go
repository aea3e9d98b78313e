package apptest

import "gonextdoor/gonextdoor/rng"

// keyOf gives the key whose word at a slot is the given one: Mix is a bijection, so it can be undone.
func keyOf(word, slot uint64) rng.Key { return rng.Key(unmix(word) ^ (slot+1)*rng.Gamma) }

func unmix(x uint64) uint64 {
	x = unshift(x, 31) * inverse(rng.Mul2)
	x = unshift(x, 27) * inverse(rng.Mul1)
	return unshift(x, 30)
}

// unshift undoes x ^ x>>by.
func unshift(x uint64, by uint) uint64 {
	for shifted := x >> by; shifted != 0; shifted >>= by {
		x ^= shifted
	}
	return x
}

// inverse gives 1/x modulo 2^64 by Newton's iteration, which doubles the right bits.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}
