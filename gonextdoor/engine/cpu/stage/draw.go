package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/rng"
)

// Draw picks an edge for each of n walkers, and the fraction that decides whether the walk stops, all with the word of one
// term. It is
//
//	word := rng.Mix(c.Key[i]^term)
//	first, degree := row(c.Vertex[i])
//	index, fraction := rng.Below(word, degree)
//	Position[i], Fraction[i] = first+index, fraction
//	Accept[i] = fraction              // unweighted: the bits that the choice left unused
//	Accept[i] = rng.Second(word)      // weighted
//
// and prefetches the edge, or its alias slot. If choices search, see search.
func (t *Tables) Draw(w *Walkers, n int, c *WalkerBatch, term uint64) {
	switch {
	case t.segments.sums != nil:
		for i, key := range unsafe.Slice((*uint64)(c.Key), n) {
			w.Position[i] = rng.Mix(key ^ term)
		}
		t.search(w, unsafe.Slice((*uint32)(c.Vertex), n))
	case !t.assembly:
		draw(t, w, n, c, term)
	case t.Slots != nil:
		drawSlot(t, w, n, c, term)
	default:
		drawIndex(t, w, n, c, term)
	}
}

// draw is Draw in Go.
func draw(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64) {
	keys, vertices := (*uint64)(c.Key), (*uint32)(c.Vertex)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			word := rng.Mix(*at(keys, uint64(i)) ^ term)
			first, degree := t.row(*at(vertices, uint64(i)))
			index, fraction := rng.Below(word, degree)
			w.Position[i], w.Fraction[i], w.Accept[i] = first+index, fraction, fraction
			if t.Slots != nil {
				w.Accept[i] = rng.Second(word)
			}
		}
		t.prefetchChoices(w.Position[lo:hi])
	}
}
