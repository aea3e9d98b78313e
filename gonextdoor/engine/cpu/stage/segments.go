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
	// 1. Find the rows, and the sums that edges are searched for. Edge is the segment in the middle of a row.
	for i, v := range vertices {
		first, degree := t.row(v)
		w.First[i], w.Count[i], w.Edge[i] = first, uint32(degree), (first+degree/2)/index.SegmentEdges
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
// Position. A row from end on has none. It overwrites Hash.
func (s *segments) search(w *Walkers, n int, end uint64, pure bool) {
	// 1. Find the segments. Position is the first edge of the segment in the row, Hash the rest of the sum.
	for i := range n {
		first := w.First[i]
		if w.Position[i] = first; first < end {
			w.Position[i], w.Hash[i] = s.find(first, uint64(w.Count[i]), w.Hash[i])
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
func (s *segments) find(first, degree, r uint64) (at, left uint64) {
	lo, hi := first/index.SegmentEdges, (first+degree-1)/index.SegmentEdges
	at, left = first, r
	for lo < hi { // sums of the segments from lo+1 on are those of the row
		middle := (lo + hi + 1) / 2
		if sum := *(*uint64)(unsafe.Add(s.sums, uintptr(middle)*8)); sum <= r {
			lo, at, left = middle, middle*index.SegmentEdges, r-sum
		} else {
			hi = middle - 1
		}
	}
	return at, left
}

// above returns the first index at which the sum of the biases exceeds r, which their sum does.
func above(biases []uint32, r uint64) (at uint64) {
	for len(biases) >= 4 {
		low := uint64(biases[0]) + uint64(biases[1])
		all := low + uint64(biases[2]) + uint64(biases[3])
		if r >= all {
			r -= all
			at += 4
			biases = biases[4:]
			continue
		}
		if r >= low {
			r -= low
			at += 2
			biases = biases[2:]
		}
		break
	}
	for _, bias := range biases {
		if r < uint64(bias) {
			break
		}
		r -= uint64(bias)
		at++
	}
	return at
}
