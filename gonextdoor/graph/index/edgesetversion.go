package index

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// UpdateEdgeSet gives a version of a graph, from, a copy of the edge set of that graph, with the pairs that changed removed and
// put. It does nothing if from has no set, or if its set does not fit the version: if it is too small, if vertices have more
// bits, or if it has one direction of each edge and the version is not symmetric. EdgeSetOf then builds the set.
func UpdateEdgeSet(g, from *graph.Graph, opts graph.Options) error {
	old := edgeSetKey.Now(from.Base())
	if len(old.Slots) == 0 || vertexBits(g.NumVertices()) != old.Bits || old.outgrown(g) {
		return nil
	}
	s := old
	var err error
	if s.Slots, err = offheap.Make[uint32](len(old.Slots)); err != nil {
		return err
	}
	err = parallel.For(opts.Job, opts.Threads, len(s.Slots), 1<<20, func(lo, hi int) error {
		copy(s.Slots[lo:hi], old.Slots[lo:hi])
		return nil
	})
	var unfit atomic.Bool
	if err == nil {
		err = s.change(g, from, &unfit, opts)
	}
	if err != nil || unfit.Load() {
		offheap.Free(s.Slots)
		return err
	}
	if s.Mirrored { // change has compared the directions
		_, err = symmetricKey.Get(g, func() (bool, error) { return true, nil })
	}
	if err == nil {
		_, err = edgeSetKey.Get(g, func() (EdgeSet, error) { return s, nil })
	}
	return err
}

// outgrown reports whether the edges of g need a larger set.
func (s *EdgeSet) outgrown(g *graph.Graph) bool {
	pairs := g.NumEdges()
	if s.Mirrored {
		pairs = pairs/2 + 1
	}
	_, least := edgeSetBuckets(g.NumVertices(), pairs)
	return least > 2*s.Bits-s.Shift
}

// change removes the pairs of from that g lacks, and puts those of g that from lacks. It sets unfit if a pair finds no slot, or
// if the set needs symmetric edges and g has an edge without its reverse.
func (s *EdgeSet) change(g, from *graph.Graph, unfit *atomic.Bool, opts graph.Options) error {
	return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for u := uint32(lo); u < uint32(hi) && !unfit.Load(); u++ {
			if g.Changed[u/64]>>(u%64)&1 == 0 {
				continue
			}
			var before []uint32
			if int(u) < from.NumVertices() {
				before = from.Neighbors(u)
			}
			differing(before, g.Neighbors(u), func(v uint32, added bool) {
				if !s.set(g, u, v, added) {
					unfit.Store(true)
				}
			})
		}
		return nil
	})
}

// set puts or removes the pair of a neighbour v that row u got or lost. It reports false if the set does not fit g.
func (s *EdgeSet) set(g *graph.Graph, u, v uint32, added bool) bool {
	if s.Mirrored {
		if g.HasEdge(v, u) != added {
			return false
		}
		if v < u {
			return true // row v has changed, too
		}
	}
	if added {
		return s.put(s.Scramble(u, v))
	}
	s.remove(s.Scramble(u, v))
	return true
}

// remove removes a pair of the set. Buckets that were full remain so for lookups.
func (s *EdgeSet) remove(pair uint64) {
	for passed := range passes {
		tag, bucket := s.Tag(pair, passed), s.bucket(pair, passed)
		for i := range bucket {
			if atomic.LoadUint32(&bucket[i]) == tag {
				atomic.StoreUint32(&bucket[i], removedPair)
				return
			}
		}
	}
}

// differing calls f for the neighbours in one of two sorted rows that are not in the other: added are those of now.
func differing(before, now []uint32, f func(v uint32, added bool)) {
	last := graph.None // the largest neighbour that was passed: others that equal it are parallel edges
	for {
		if n := equalLength(before, now); n > 0 {
			last = before[n-1]
			before, now = before[n:], now[n:]
		}
		switch {
		case len(before) == 0 && len(now) == 0:
			return
		case len(now) == 0 || len(before) > 0 && before[0] < now[0]:
			if before[0] != last {
				f(before[0], false)
			}
			last, before = before[0], before[1:]
		default:
			if now[0] != last {
				f(now[0], true)
			}
			last, now = now[0], now[1:]
		}
	}
}

// equalLength returns the number of elements before the first that differs in two rows.
func equalLength(x, y []uint32) (n int) {
	const line = 16 // elements that are compared at once
	least := min(len(x), len(y))
	for n+line <= least && [line]uint32(x[n:]) == [line]uint32(y[n:]) {
		n += line
	}
	for n < least && x[n] == y[n] {
		n++
	}
	return n
}
