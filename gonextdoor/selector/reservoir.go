package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// Reservoir selects i with probability bias(i)/sum in one pass and constant memory, or -1 if the sum is 0. By definition
// candidate i replaces the one that is held with probability bias(i)/sum(0..i). It jumps: with S the sum when one was
// taken and a word W drawn then, the next is the first i for which W * sum(0..i) / 2^64 >= S, since nobody in between
// replaces it with probability S/sum. A row of d equal biases takes about ln d words. It is
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

// Reserve is a Reservoir that is fed candidate by candidate.
type Reserve struct {
	Key  rng.Key
	sum  uint64
	next uint64 // the sum at which the next candidate is taken; reached by none if 0 while one is held
	held int64  // the candidate that is held, plus 1
	word uint64 // words drawn
}

// Add offers candidate i.
func (r *Reserve) Add(i int, bias uint64) {
	if bias == 0 {
		return
	}
	r.sum += bias
	if r.held != 0 && (r.next == 0 || r.sum < r.next) {
		return
	}
	r.held = int64(i) + 1
	r.next = leastProduct(r.Key.Word(r.word), r.sum)
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
