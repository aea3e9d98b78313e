// Package rng computes the random words of the reproducibility contract. Each word is a pure function of its coordinates, so
// there is no generator state. A Stream depends on the seed and a purpose, a Key on the stream and the id of a sample (or
// vertex), a word on the key and a slot:
//
//	stream = mix(seed + gamma*(1+purpose))
//	key    = mix(stream ^ id*gamma)
//	word   = mix(key ^ (slot+1)*gamma)
//
// mix is the finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA'14); gamma is 2^64 divided by the golden ratio. A word
// costs one mix, and a key or stream one more. docs/reproducibility.md is the specification.
package rng

import "math/bits"

// Gamma is the odd constant nearest to 2^64 over the golden ratio.
const Gamma = 0x9E3779B97F4A7C15

// Mul1 and Mul2 are the multipliers of Mix, for engines that inline it in assembly.
const (
	Mul1 = 0xBF58476D1CE4E5B9
	Mul2 = 0x94D049BB133111EB
)

// Mix is the finaliser of splitmix64, a bijection on 64-bit words.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * Mul1
	x = (x ^ x>>27) * Mul2
	return x ^ x>>31
}

// High1, High2 and High3 are the multipliers of High: those of triple32 (Wellons, Hash Prospector).
const (
	High1 = 0xED5AD4BB
	High2 = 0xAC4C1B51
	High3 = 0x31848BAB
)

// Purpose separates the random words of one seed that are used for different things.
type Purpose uint64

// The purposes. Their numbers are part of the reproducibility contract.
const (
	Choices   Purpose = iota // the choices of a sample
	Roots                    // roots that the library draws
	Seeds                    // the seeds of successive calls of a sampler
	Edges                    // the edges of a generated graph
	Weights                  // the weights of a generated graph
	Order                    // the vertex order of a generated graph
	Clusters                 // a random partition of the vertices
	Negatives                // the ends of negative links
	Batches                  // the choices of a mini-batch
	Scores                   // the walks of personalised PageRank
)

// Stream is a family of keys.
type Stream uint64

// Key is a family of random words.
type Key uint64

// NewStream returns the stream of a seed for a purpose.
func NewStream(seed uint64, p Purpose) Stream {
	return Stream(Mix(seed + Gamma*(1+uint64(p))))
}

// Key returns the key of an id, such as that of a sample or a vertex.
func (s Stream) Key(id uint64) Key { return Key(Mix(uint64(s) ^ id*Gamma)) }

// Number returns the random number of an id that many choices share, such as that of an end point in LABOR. The high half
// is High, the low half that of the id's key.
func (s Stream) Number(id uint32) uint64 {
	return uint64(s.High(id))<<32 | uint64(uint32(s.Key(uint64(id))))
}

// High returns the high half of Number. It is a bijection of the ids, so the numbers of different ids differ in it. It needs
// four multiplications of 32 bits, half of the time of a Key if many are computed.
//
// The first line is an affine function with a random odd factor and a random summand. It takes two ids to a pair that is
// uniform among the pairs whose difference has as many trailing zeros as the ids' xor. So the joint distribution of two
// numbers depends on this count only: 32 cases cover all xors. pairs_test.go counts pairs. Without a random factor, some xors may
// give dependent numbers for every key. The other lines are triple32, which makes more than two ids independent.
func (s Stream) High(id uint32) uint32 {
	x := id*(uint32(s>>32)|1) + uint32(s)
	x = (x ^ x>>17) * High1
	x = (x ^ x>>11) * High2
	x = (x ^ x>>15) * High3
	return x ^ x>>14
}

// Word returns the random word at a slot.
func (k Key) Word(slot uint64) uint64 { return Mix(uint64(k) ^ (slot+1)*Gamma) }

// Stream returns the stream derived from a slot. If a sample makes many choices in a step, each transit has a separate key
// in this stream.
func (k Key) Stream(slot uint64) Stream { return Stream(k.Word(slot)) }

// Tries is the number of tries per step for which Slot has separate slots.
const Tries = 256

// Slot returns the slot of a try in a step. try is below Tries.
func Slot(step, try uint64) uint64 { return step<<8 | try }

// Below maps a word to an index below n (0 if n is 0) and a 32-bit fraction that is independent of the index. They are the
// high half of the 128-bit product and the upper bits of its low half. The probability of each index differs from 1/n by at
// most 2^-64.
func Below(word, n uint64) (index uint64, fraction uint32) {
	hi, lo := bits.Mul64(word, n)
	return hi, uint32(lo >> 32)
}

// Second returns another 32-bit fraction of a word whose index and fraction of Below are used. Multiplication by Gamma
// distributes every interval of words evenly over the fractions (the golden-ratio sequence). So the fraction is independent
// of any index and first fraction, up to a few parts in the length of the interval.
func Second(word uint64) uint32 { return uint32(word * Gamma >> 32) }
