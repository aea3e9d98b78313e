// Package rng gives the random words of the law: each is a pure function of its coordinate.
//
// Nothing is stored and nothing advances. A Stream is keyed by the seed, a Key by the stream and the id of a sample (or
// vertex), a word by the key and a slot:
//
//	stream = mix(seed + gamma*(1+purpose))
//	key    = mix(stream ^ id*gamma)
//	word   = mix(key ^ (slot+1)*gamma)
//
// mix is the finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA'14); gamma is 2^64 divided by the golden ratio.
package rng

import "math/bits"

// Gamma is the odd constant nearest to 2^64 over the golden ratio.
const Gamma = 0x9E3779B97F4A7C15

// Mul1 and Mul2 are the multipliers of Mix, for the engines that write it out.
const (
	Mul1 = 0xBF58476D1CE4E5B9
	Mul2 = 0x94D049BB133111EB
)

// Mix is the finaliser of splitmix64, a bijection of the 64-bit words.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * Mul1
	x = (x ^ x>>27) * Mul2
	return x ^ x>>31
}

// Purpose keeps the random words of one seed that serve different ends apart.
type Purpose uint64

// The purposes. Their numbers are part of the law.
const (
	Choices   Purpose = iota // the choices of a sample
	Roots                    // roots that the library draws itself
	Seeds                    // the seeds of a sampler's successive calls
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

// NewStream gives the stream of a seed for a purpose.
func NewStream(seed uint64, p Purpose) Stream {
	return Stream(Mix(seed + Gamma*(1+uint64(p))))
}

// Key gives the key of an id: a sample's, or a vertex's.
func (s Stream) Key(id uint64) Key { return Key(Mix(uint64(s) ^ id*Gamma)) }

// Word gives the random word at a slot.
func (k Key) Word(slot uint64) uint64 { return Mix(uint64(k) ^ (slot+1)*Gamma) }

// Stream gives the stream that hangs under a slot: where one sample makes many choices in a step, each transit has a
// key of its own in it.
func (k Key) Stream(slot uint64) Stream { return Stream(k.Word(slot)) }

// Tries is how many tries fit in one step of Slot.
const Tries = 256

// Slot is the slot of a try in a step.
func Slot(step, try uint64) uint64 { return step<<8 | try }

// Below maps a word to an index below n (0 if n is 0) and a 32-bit fraction that is independent of it: the high and the
// low half of the 128-bit product. No index is more than 2^-64 off 1/n.
func Below(word, n uint64) (index uint64, fraction uint32) {
	hi, lo := bits.Mul64(word, n)
	return hi, uint32(lo >> 32)
}

// Second gives a further 32-bit fraction of a word whose Below is used up. Multiplying by Gamma spreads every interval
// of words evenly over the fractions (the golden-ratio sequence), so it is independent of any index and first fraction
// up to a few parts in the interval's length.
func Second(word uint64) uint32 { return uint32(word * Gamma >> 32) }
