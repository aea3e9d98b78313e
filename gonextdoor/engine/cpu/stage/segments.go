package stage

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// segments holds the addresses of index.Segments and of the biases that they are sums of.
type segments struct {
	totals, sums, biases unsafe.Pointer // nil: choices do not search
}

// search picks an edge in proportion to its bias for each of n walkers at vertices, with the words in Position. It is Scan over
// the biases of the row:
//
//	r := word * total / 2^64
//	Position[i] = the first position of the row at which the sum of the biases from the begin of the row exceeds r
//	Accept[i] = rng.Second(word)
//
// and prefetches the edge. Without a bias, Position[i] is that of the sentinel. It overwrites First, Count, Edge and Hash.
func (t *Tables) search(w *Walkers, vertices []uint32) {
	n := len(vertices)
	if !t.pure {
		PrefetchRecords(t.segments.totals, vertices)
	}
	// 1. Find the rows, and the sums that edges are searched for. Edge is the segment that the word chooses if all biases are
	// equal.
	for i, v := range vertices {
		first, degree := t.row(v)
		edge, _ := rng.Below(w.Position[i], degree)
		w.First[i], w.Count[i], w.Edge[i] = first, uint32(degree), (first+edge)/index.SegmentEdges
	}
	if !t.pure {
		PrefetchWords((*uint64)(t.segments.sums), w.Edge[:n])
	}
	for i, v := range vertices {
		word := w.Position[i]
		w.Accept[i], w.Hash[i] = rng.Second(word), 0
		if w.First[i] < t.Edges {
			total := *(*uint64)(unsafe.Add(t.segments.totals, uintptr(v)*8))
			if w.Hash[i], _ = bits.Mul64(word, total); total == 0 {
				w.First[i] = t.Edges
			}
		}
	}
	t.segments.search(w, n, t.Edges, t.pure)
	t.prefetchChoices(w.Position[:n])
}

// search finds the first edge of the row [First, First+Count) at which the sum of the biases exceeds Hash, for each of n walkers, to
// Position. Its searches begin at the segments Edge. A row from end on has none. It overwrites Hash.
func (s *segments) search(w *Walkers, n int, end uint64, pure bool) {
	// 1. Find the segments. Position is the first edge of the segment in the row, Hash the rest of the sum.
	for i := range n {
		first := w.First[i]
		if w.Position[i] = first; first < end {
			w.Position[i], w.Hash[i] = s.find(first, uint64(w.Count[i]), w.Hash[i], w.Edge[i])
		}
	}
	if !pure {
		PrefetchIndices((*uint32)(s.biases), w.Position[:n])
	}
	// 2. Find the edges.
	for i := range n {
		if at := w.Position[i]; at < end {
			end := w.First[i] + uint64(w.Count[i])
			biases := unsafe.Slice((*uint32)(unsafe.Add(s.biases, uintptr(at)*4)), end-at)
			w.Position[i] = at + above(biases, w.Hash[i])
		}
	}
}

// find returns the first edge of the segment of a row in which the sum of the biases exceeds r, and r less the sum before it.
// It begins at a guess of the segment.
func (s *segments) find(first, degree, r, guess uint64) (at, left uint64) {
	lo, hi := first/index.SegmentEdges, (first+degree-1)/index.SegmentEdges
	if lo == hi {
		return first, r
	}
	// Sums of the segments from lo+1 on are those of the row. 1. Widen the range from the guess until it has the segment.
	begin := lo
	if guess > lo && s.sum(guess) > r {
		hi = guess - 1
		for step := uint64(1); hi > lo; step *= 2 {
			at := max(hi+1, begin+step) - step
			if at == begin || s.sum(at) <= r {
				lo = at
				break
			}
			hi = at - 1
		}
	} else {
		lo = guess
		for step := uint64(1); lo < hi; step *= 2 {
			at := min(lo+step, hi)
			if s.sum(at) > r {
				hi = at - 1
				break
			}
			lo = at
		}
	}
	// 2. Search it.
	for lo < hi {
		if middle := (lo + hi + 1) / 2; s.sum(middle) <= r {
			lo = middle
		} else {
			hi = middle - 1
		}
	}
	if lo == begin {
		return first, r
	}
	return lo * index.SegmentEdges, r - s.sum(lo)
}

// sum returns the sum of a segment.
func (s *segments) sum(segment uint64) uint64 {
	return *(*uint64)(unsafe.Add(s.sums, uintptr(segment)*8))
}

// above returns the first index at which the sum of the biases exceeds r, which their sum does.
func above(biases []uint32, r uint64) (at uint64) {
	// 1. Find eight biases.
	for len(biases) >= 8 {
		b := biases[:8]
		all := uint64(b[0]) + uint64(b[1]) + uint64(b[2]) + uint64(b[3]) + uint64(b[4]) + uint64(b[5]) + uint64(b[6]) + uint64(b[7])
		if r < all {
			biases = b
			break
		}
		r -= all
		at += 8
		biases = biases[8:]
	}
	// 2. Count those whose sums do not exceed r. Which they are is unpredictable, so there is no branch on it.
	sum := uint64(0)
	for _, bias := range biases {
		sum += uint64(bias)
		_, exceeds := bits.Sub64(r, sum, 0)
		at += 1 - exceeds
	}
	return at
}
