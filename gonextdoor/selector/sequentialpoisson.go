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

// SmallestAt writes the places of the k smallest of the words to dst, in the order given, and returns k. Equal words are taken
// in that order. There must be at least k words, and k must not be 0. It overwrites places. With the words of a row, and places
// that count from first, it is
//
//	for i, p := range SequentialPoisson(k, words, nil, nil) { dst[i] = first + p }
func SmallestAt(k uint64, words, places, dst []uint64, s *Scratch) int {
	if uint64(len(words)) == k {
		copy(dst, places)
		return int(k)
	}
	// 1. Find the k-th smallest word, and how many of the words equal to it are taken.
	s.next = append(s.next[:0], words...)
	limit, equal := kthSmallest(s.next, int(k)-1)
	// 2. Move the places of the smaller words, and of the first of the equal ones, to the front. Only parallel edges have equal
	// words. The loops have no unpredictable branch.
	got := 0
	if !slices.Contains(s.next[k:], limit) {
		for i, word := range words {
			places[got] = places[i]
			if word <= limit {
				got++
			}
		}
		return copy(dst, places[:got])
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
	return copy(dst, places[:got])
}

// kthSmallest returns the word at index k of the sorted words, and the number of words equal to it up to that index. It
// reorders the words (quickselect with the median of three).
func kthSmallest(words []uint64, k int) (word uint64, equal int) {
	first, end := 0, len(words)
	for end-first > 12 {
		a, b, c := words[first], words[(first+end)/2], words[end-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := first, end-1
		for i <= j {
			for words[i] < pivot {
				i++
			}
			for words[j] > pivot {
				j--
			}
			if i <= j {
				words[i], words[j] = words[j], words[i]
				i, j = i+1, j-1
			}
		}
		switch { // words[first:j+1] <= pivot, words[i:end] >= pivot, and pivot between
		case k <= j:
			end = j + 1
		case k >= i:
			first = i
		default:
			first, end = k, k+1
		}
	}
	slices.Sort(words[first:end])
	word = words[k]
	for _, w := range words[:k+1] {
		if w == word {
			equal++
		}
	}
	return word, equal
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
