package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// Reservoir selects i with probability bias(i)/sum in one pass and constant memory, or -1 if the sum is 0. In the usual
// algorithm candidate i replaces the held one with probability bias(i)/sum(0..i) (Chao, Biometrika 1982). This one jumps to the
// next replacement: let S be the sum when a candidate was taken, and W a word drawn at that time. The next candidate to take is
// the first i with W * sum(0..i) / 2^64 >= S, because the held candidate survives up to a sum with probability S/sum. A row of
// d equal biases takes about ln d words. It is
//
//	for i := range n { sum += bias(i); if bias(i) > 0 && (none held || word * sum / 2^64 >= held) { take i; held = sum; word = next } }
//
// It uses the words of the key from 0 on. The sum of the biases must be below 2^64.
func Reservoir(key rng.Key, n int, bias func(i int) uint64) int64 {
	r := Reserve{Key: key}
	for i := range n {
		r.Add(i, bias(i))
	}
	return r.Held()
}

// Reserve is a Reservoir to which candidates are added one by one or in runs. Only Key must be set.
type Reserve struct {
	Key  rng.Key
	sum  uint64 // of the biases added so far
	past uint64 // the next candidate that raises the sum above this is taken
	held int64  // the held candidate plus 1; 0: none
	word uint64 // number of words drawn
}

// Add adds candidate i.
func (r *Reserve) Add(i int, bias uint64) {
	if r.sum += bias; r.sum > r.past {
		r.take(i)
	}
}

// AddAll adds candidates first, first+1, ... It sums eight biases at a time, and adds them one by one only if one of the eight
// candidates is taken.
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

// take makes i the held candidate and draws the next jump. A jump raises the sum, so a candidate with bias 0 is never taken.
func (r *Reserve) take(i int) {
	r.held = int64(i) + 1
	r.past = leastProduct(r.Key.Word(r.word), r.sum) - 1 // 2^64-1 if no sum suffices
	r.word++
}

// Held returns the candidate selected among those added, or -1.
func (r *Reserve) Held() int64 { return r.held - 1 }

// leastProduct returns the least s with word*s/2^64 >= sum, or 0 if there is none below 2^64.
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
