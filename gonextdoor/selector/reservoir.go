package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// Reservoir selects i with probability bias(i)/sum in one pass and constant memory, or -1 if the sum is 0. By definition
// candidate i replaces the one that is held with probability bias(i)/sum(0..i) (Chao, Biometrika 1982). It jumps: with S
// the sum when one was taken and a word W drawn then, the next is the first i for which W * sum(0..i) / 2^64 >= S, since
// nobody in between replaces it with probability S/sum. A row of d equal biases takes about ln d words. It is
//
//	for i := range n { sum += bias(i); if bias(i) > 0 && (none is held || word * sum / 2^64 >= held) { take i; held = sum; word = next } }
//
// Words are the key's, from 0 on. The sum of the biases must be below 2^64.
func Reservoir(key rng.Key, n int, bias func(i int) uint64) int64 {
	r := Reserve{Key: key}
	for i := range n {
		r.Add(i, bias(i))
	}
	return r.Held()
}

// ReservoirOf is Reservoir over biases that are there.
func ReservoirOf(key rng.Key, biases []uint32) int64 {
	r := Reserve{Key: key}
	r.AddAll(0, biases)
	return r.Held()
}

// Reserve is a Reservoir that is fed candidate by candidate.
type Reserve struct {
	Key  rng.Key
	sum  uint64
	past uint64 // the candidate that brings the sum beyond is taken
	held int64  // the candidate that is held, plus 1
	word uint64 // words drawn
}

// Add offers candidate i.
func (r *Reserve) Add(i int, bias uint64) {
	if r.sum += bias; r.sum > r.past {
		r.take(i)
	}
}

// AddAll offers the candidates from first on: eight at once, and one by one where one of the eight is taken.
func (r *Reserve) AddAll(first int, biases []uint32) {
	for ; len(biases) >= 8; first, biases = first+8, biases[8:] {
		b := biases[:8]
		sum := r.sum + (uint64(b[0]) + uint64(b[1]) + uint64(b[2]) + uint64(b[3])) + (uint64(b[4]) + uint64(b[5]) + uint64(b[6]) + uint64(b[7]))
		if sum <= r.past {
			r.sum = sum
			continue
		}
		for i, x := range b {
			r.Add(first+i, uint64(x))
		}
	}
	for i, x := range biases {
		r.Add(first+i, uint64(x))
	}
}

// take holds candidate i. What it jumps to lies beyond the present sum, so no candidate without a bias is taken.
func (r *Reserve) take(i int) {
	r.held = int64(i) + 1
	r.past = leastProduct(r.Key.Word(r.word), r.sum) - 1 // beyond all sums, where there is none
	r.word++
}

// Held gives the candidate selected among those offered, or -1.
func (r *Reserve) Held() int64 { return r.held - 1 }

// leastProduct gives the least s with word*s/2^64 >= sum, or 0 if there is none below 2^64.
func leastProduct(word, sum uint64) uint64 {
	if word <= sum { // sum * 2^64 / word is at least 2^64
		return 0
	}
	s, rest := bits.Div64(sum, 0, word)
	if rest > 0 {
		s++
	}
	return s
}
