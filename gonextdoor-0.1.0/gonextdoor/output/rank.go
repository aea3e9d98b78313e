package output

import (
	"cmp"
	"slices"
)

// SortByVertex sorts words by the vertex in their upper 32 bits. It is a stable radix sort with one pass per byte that
// vertices below the bound need. It returns the sorted words, and the scratch for the next call: the two arrays may be
// exchanged. The time is linear in the number of words.
func SortByVertex(words, scratch []uint64, vertices int) (sorted, rest []uint64) {
	if cap(scratch) < len(words) {
		scratch = make([]uint64, len(words), 2*len(words))
	}
	scratch = scratch[:len(words)]
	for shift := 32; shift < 64 && uint64(vertices)>>(shift-32) > 0; shift += 8 {
		var first [256]uint32
		for _, w := range words {
			first[uint8(w>>shift)]++
		}
		sum := uint32(0)
		for i, n := range first {
			first[i] = sum
			sum += n
		}
		for _, w := range words {
			at := &first[uint8(w>>shift)]
			scratch[*at] = w
			*at++
		}
		words, scratch = scratch, words
	}
	return words, scratch
}

// Scored is a candidate of Best.
type Scored struct {
	Score  uint64
	Vertex uint32
	Place  uint32 // for the caller
}

// compare orders candidates: higher scores first, equal ones by vertex.
func (s Scored) compare(other Scored) int {
	return cmp.Or(cmp.Compare(other.Score, s.Score), cmp.Compare(s.Vertex, other.Vertex))
}

// Best keeps the Most best candidates of those offered. It is a heap with the worst kept candidate at its root, so that
// Offer takes O(log Most). It serves one thread.
type Best struct {
	Most int
	heap []Scored
}

// Least returns a score below which a candidate is not kept.
func (b *Best) Least() uint64 {
	if len(b.heap) < b.Most {
		return 0
	}
	return b.heap[0].Score
}

// Offer keeps s if it is among the best so far.
func (b *Best) Offer(s Scored) {
	h := b.heap
	if len(h) < b.Most {
		h = append(h, s)
		for i := len(h) - 1; i > 0 && h[(i-1)/2].compare(h[i]) < 0; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		b.heap = h
		return
	}
	if s.compare(h[0]) >= 0 {
		return
	}
	h[0] = s
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[worst].compare(h[child]) < 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// Sorted returns the kept candidates, best first. No candidate may be offered afterwards.
func (b *Best) Sorted() []Scored {
	slices.SortFunc(b.heap, Scored.compare)
	return b.heap
}
