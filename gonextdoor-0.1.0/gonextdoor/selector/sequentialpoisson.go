package selector

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/rng"
)

// SequentialPoisson appends the k candidates with the smallest ratios words[i]/biases[i] to picks, in row order (sequential
// Poisson sampling: Ohlsson, Journal of Official Statistics 1998). Equal ratios are taken in row order. A candidate of bias 0
// is never taken; biases may be nil, which means 1 for each. If at most k candidates have a bias, it appends all of them.
//
// With independent words and equal biases, every set of k candidates is equally likely. LABOR derives the word of an edge
// from its end point, so that vertices with common neighbours take the same ones.
func SequentialPoisson(k uint64, words []uint64, biases []uint32, picks []uint64) []uint64 {
	bias := func(i uint64) uint64 {
		if biases == nil {
			return 1
		}
		return uint64(biases[i])
	}
	var left []uint64
	for i := range uint64(len(words)) {
		if bias(i) > 0 {
			left = append(left, i)
		}
	}
	if uint64(len(left)) > k {
		slices.SortStableFunc(left, func(i, j uint64) int { return compareRatios(words[i], bias(i), words[j], bias(j)) })
		left = left[:k]
		slices.Sort(left)
	}
	return append(picks, left...)
}

// compareRatios compares a/x with b/y exactly.
func compareRatios(a, x, b, y uint64) int {
	high, low := bits.Mul64(a, y)
	otherHigh, otherLow := bits.Mul64(b, x)
	if c := cmp.Compare(high, otherHigh); c != 0 {
		return c
	}
	return cmp.Compare(low, otherLow)
}

// Poisson appends the candidates whose word selects an index below k among all n candidates to picks, in row order (Poisson
// sampling). Each is taken with probability min(1, k/n), and independently if their words are independent. It is
//
//	for i, word := range words { if word * n >> 64 < k { append i } }
func Poisson(k uint64, words, picks []uint64) []uint64 {
	for i, word := range words {
		if index, _ := rng.Below(word, uint64(len(words))); index < k {
			picks = append(picks, uint64(i))
		}
	}
	return picks
}

// PoissonLimit returns the largest word that Poisson takes, for k of n candidates.
func PoissonLimit(k, n uint64) uint64 {
	if k >= n {
		return math.MaxUint64
	}
	limit, _ := bits.Div64(k-1, math.MaxUint64, n) // (k * 2^64 - 1) / n
	return limit
}

// RatioLimit returns a limit, factor * 2^shift, that about `expected` candidates are expected to stay below if the sum of their
// biases is sum: the ratio of word and bias. If expected is at least the sum, all candidates with a bias are below it.
func RatioLimit(expected, sum uint64) (factor uint32, shift uint) {
	if expected >= sum {
		return math.MaxUint32, 33
	}
	limit, _ := bits.Div64(expected, 0, sum)
	shift = uint(max(0, bits.Len64(limit)-31))
	return uint32(limit>>shift) + 1, shift
}

// SmallestAt writes first plus the places of the k smallest of the numbers to dst, in the order given, and returns k. Equal
// numbers are taken in that order. There must be at least k numbers, and k must not be 0. It overwrites places. With places
// that count from 0, and words of which the numbers are the high halves and that are equal if these are, it is
//
//	for i, p := range SequentialPoisson(k, words, nil, nil) { dst[i] = first + p }
func SmallestAt(k uint64, numbers, places []uint32, first uint64, dst []uint64) int {
	if uint64(len(numbers)) > k {
		limit, equal := cutAt(numbers, int(k))
		places = upTo(limit, equal, numbers, places)
	}
	for i, p := range places {
		dst[i] = first + uint64(p)
	}
	return len(places)
}

// SmallestRatiosAt writes the places of the k candidates with the smallest ratios words[i]/biases[i] to dst, in the order
// given, and returns k. No bias may be 0; there must be at least k candidates, and k must not be 0. It overwrites places. With
// places that count from first, it is
//
//	for i, p := range SequentialPoisson(k, words, biases, nil) { dst[i] = first + p }
func SmallestRatiosAt(k uint64, words []uint64, biases []uint32, places, dst []uint64, s *Scratch) int {
	if uint64(len(words)) == k {
		return copy(dst, places)
	}
	// The integer parts of the ratios decide almost always.
	s.next = s.next[:0]
	for i, word := range words {
		s.next = append(s.next, word/uint64(biases[i]))
	}
	if limit, equal := cutAt(s.next, int(k)); equal == 0 {
		return copy(dst, upTo(limit, 0, s.next, places))
	}
	n := SequentialPoissonAt(k, words, biases, dst, s)
	for i, p := range dst[:n] {
		dst[i] = places[p]
	}
	return n
}

// upTo moves the places of the words up to limit to the front of places and returns them. Of the words equal to limit it takes
// the first `equal`, or all if equal is 0.
func upTo[Word, Place uint32 | uint64](limit Word, equal int, words []Word, places []Place) []Place {
	got := 0
	if equal == 0 { // without an unpredictable branch
		for i, word := range words {
			places[got] = places[i]
			if word <= limit {
				got++
			}
		}
		return places[:got]
	}
	for i, word := range words {
		if word == limit {
			equal--
		}
		if word < limit || word == limit && equal >= 0 {
			places[got] = places[i]
			got++
		}
	}
	return places[:got]
}

// cutAt returns a limit that exactly k of the words do not exceed, and 0. If equal words rule that out, it returns the k-th
// smallest word, and how many of the words equal to it are among the k smallest. There are more than k words.
//
// The limit is interpolated between two others, as if the words were uniform: a few passes without unpredictable branches.
func cutAt[Word uint32 | uint64](words []Word, k int) (limit Word, equal int) {
	const interpolated = 8 // passes, before the interval is halved
	from, to := Word(0), slices.Max(words)
	below, upto := 0, len(words)
	for pass := 0; upto != k && from < to; pass++ {
		// 1. Choose a limit in [from, to).
		at := from + (to-from)/2
		if pass < interpolated {
			share := float64(2*(k-below)+1) / float64(2*(upto-below)+2)
			at = from + min(Word(share*float64(to-from)), to-from-1)
		}
		// 2. Count the words up to it.
		n := 0
		for _, word := range words {
			if word <= at {
				n++
			}
		}
		if n < k {
			from, below = at+1, n
		} else {
			to, upto = at, n
		}
	}
	if upto == k {
		return to, 0
	}
	return to, k - below
}

// SequentialPoissonAt is the fast form of SequentialPoisson with biases. It writes the picks to dst, which must hold k or all
// candidates, and returns their number. It is
//
//	copy(dst, SequentialPoisson(k, words, biases, nil))
//
// in one pass with the k best candidates so far in a heap, whose root is the worst of them. Words are not read if k suffices for
// all candidates.
func SequentialPoissonAt(k uint64, words []uint64, biases []uint32, dst []uint64, s *Scratch) int {
	if uint64(len(biases)) <= k {
		return allBut(biases, nil, dst)
	}
	heap := s.heap[:0]
	for i, b := range biases {
		if b == 0 {
			continue
		}
		if uint64(len(heap)) < k {
			heap = append(heap, ratio{words[i], uint64(b), uint64(i)})
			raise(heap)
			continue
		}
		// The high halves of the products decide almost always.
		mine, _ := bits.Mul64(words[i], heap[0].bias)
		worst, _ := bits.Mul64(heap[0].word, uint64(b))
		if mine > worst {
			continue
		}
		if r := (ratio{words[i], uint64(b), uint64(i)}); r.before(heap[0]) {
			heap[0] = r
			sink(heap)
		}
	}
	for i, r := range heap {
		dst[i] = r.place
	}
	slices.Sort(dst[:len(heap)])
	s.heap = heap
	return len(heap)
}

// ratio is a candidate of SequentialPoissonAt.
type ratio struct{ word, bias, place uint64 }

// before reports whether r is taken before q.
func (r ratio) before(q ratio) bool {
	c := compareRatios(r.word, r.bias, q.word, q.bias)
	return c < 0 || c == 0 && r.place < q.place
}

// raise moves the last candidate of a heap up to its place.
func raise(heap []ratio) {
	for i := len(heap) - 1; i > 0 && heap[(i-1)/2].before(heap[i]); i = (i - 1) / 2 {
		heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
	}
}

// sink moves the root of a heap down to its place.
func sink(heap []ratio) {
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(heap) && heap[child].before(heap[child+1]) {
			child++
		}
		if child >= len(heap) || !heap[i].before(heap[child]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
