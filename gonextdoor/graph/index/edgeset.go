package index

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/rng"
)

// EdgeSet is a hash table of all edges, in buckets of one cache line. It answers whether an edge leads from u to v with one
// memory access; a binary search in a row needs a chain of them.
//
// A bijection scrambles each pair of vertices. The high bits of the result select the bucket; the low bits, in 32 bits, then
// identify the pair exactly. A full bucket passes pairs on to the next one, and the tag counts how often. The slot of a pair
// within its bucket depends on the order of insertion; whether a pair is in the set does not.
type EdgeSet struct {
	Slots    []uint32 // BucketSlots per bucket; 0: empty slot. No slots: the graph has no set
	Bits     uint     // vertices are less than 1<<Bits
	Shift    uint     // bits of a scrambled pair below the bucket's number
	Mirrored bool     // the graph is symmetric: only pairs with u <= v are stored
}

const (
	// BucketSlots is the number of tags in a cache line.
	BucketSlots = 16
	passes      = 4  // the largest number of buckets in which a pair may be stored
	maxShift    = 29 // a tag of this many bits, with the number of passes, fits in a slot

	removedPair = ^uint32(0) // the slot of a pair that was removed: no tag is as large
)

// Scramble returns the scrambled pair of an edge. Its bucket is pair>>Shift, its tag Tag(pair, 0).
func (s *EdgeSet) Scramble(u, v uint32) uint64 {
	if s.Mirrored && v < u {
		u, v = v, u
	}
	mask := uint64(1)<<(2*s.Bits) - 1
	x := (uint64(u)<<s.Bits | uint64(v)) * rng.Mul1 & mask
	return (x ^ x>>s.Bits) * rng.Mul2 & mask
}

// Tag returns the value that is stored for a scrambled pair that was passed on the given number of times.
func (s *EdgeSet) Tag(pair uint64, passed int) uint32 {
	return uint32(pair&(1<<s.Shift-1))<<2 + uint32(passed) + 1
}

// Has reports whether an edge leads from u to v.
func (s *EdgeSet) Has(u, v uint32) bool {
	pair := s.Scramble(u, v)
	for passed := range passes {
		tag, last := s.Tag(pair, passed), uint32(0)
		for _, last = range s.bucket(pair, passed) {
			if last == tag {
				return true
			}
		}
		if last == 0 {
			return false
		}
	}
	return false
}

// bucket returns the slots of the bucket for a pair that was passed on the given number of times.
func (s *EdgeSet) bucket(pair uint64, passed int) []uint32 {
	at := (pair>>s.Shift + uint64(passed)) * BucketSlots % uint64(len(s.Slots))
	return s.Slots[at:][:BucketSlots]
}

// put stores a pair and reports whether a slot was free. Several goroutines may call it.
func (s *EdgeSet) put(pair uint64) bool {
	for passed := range passes {
		tag, bucket := s.Tag(pair, passed), s.bucket(pair, passed)
		for i := range bucket {
			if old := atomic.LoadUint32(&bucket[i]); (old == 0 || old == removedPair) && atomic.CompareAndSwapUint32(&bucket[i], old, tag) {
				return true
			}
			if atomic.LoadUint32(&bucket[i]) == tag {
				return true
			}
		}
	}
	return false
}

var (
	edgeSetKey  = graph.NewKey(func(s EdgeSet) { offheap.Free(s.Slots) })
	edgeSetWork = graph.NewKey[*atomic.Int64](nil)
)

// EdgeSetOf returns the edge set of a graph. work is the number of lookups that the caller expects to make. The set is built
// once the work of all calls adds up to one unit per edge, which pays for building it. Until then, and if the graph has too
// many vertices for its edges, the set is empty.
func EdgeSetOf(g *graph.Graph, work int, opts graph.Options) (EdgeSet, error) {
	g = g.Base()
	if announce(edgeSetWork, g, work) < int64(g.NumEdges()) {
		return edgeSetKey.Now(g), nil
	}
	return edgeSetKey.Get(g, func() (EdgeSet, error) { return makeEdgeSet(g, opts) })
}

// makeEdgeSet builds the set. It tries larger tables, up to four times the least size, until each pair finds a slot; the
// result is empty if none suffices.
func makeEdgeSet(g *graph.Graph, opts graph.Options) (EdgeSet, error) {
	mirrored, err := Symmetric(g, opts)
	if err != nil {
		return EdgeSet{}, err
	}
	pairs := g.NumEdges()
	if mirrored {
		pairs = pairs/2 + 1
	}
	s := EdgeSet{Bits: vertexBits(g.NumVertices()), Mirrored: mirrored}
	buckets, least := edgeSetBuckets(g.NumVertices(), pairs)
	for ; buckets <= least+2 && buckets <= 2*s.Bits; buckets++ {
		s.Shift = 2*s.Bits - buckets
		if s.Slots, err = offheap.Make[uint32](BucketSlots << buckets); err != nil {
			return EdgeSet{}, err
		}
		full, err := s.fill(g, opts)
		if err == nil && !full {
			return s, nil
		}
		offheap.Free(s.Slots)
		if err != nil {
			return EdgeSet{}, err
		}
	}
	return EdgeSet{}, nil
}

// vertexBits returns the number of bits per vertex in a pair.
func vertexBits(vertices int) uint { return max(1, uint(bits.Len(uint(vertices-1)))) }

// edgeSetBuckets returns two numbers of buckets, as base-2 logarithms: the first to try, and the least that the pairs alone
// would need. A set has at most four times the least number.
func edgeSetBuckets(vertices, pairs int) (buckets, least uint) {
	both := 2 * vertexBits(vertices)
	least = min(uint(bits.Len(uint(pairs*3/2/BucketSlots))), both)
	if buckets = least; both > maxShift {
		buckets = max(buckets, both-maxShift)
	}
	return buckets, least
}

// fill stores all edges and reports whether one of them found no slot.
func (s *EdgeSet) fill(g *graph.Graph, opts graph.Options) (full bool, err error) {
	const batch = 64 // pairs whose buckets are prefetched before they are stored
	var failed atomic.Bool
	err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), 1<<12, func(lo, hi int) error {
		pairs := make([]uint64, 0, batch)
		put := func() {
			for _, pair := range pairs { // independent loads, so that the cache misses of a batch overlap
				_ = atomic.LoadUint32(&s.bucket(pair, 0)[0])
			}
			for _, pair := range pairs {
				if !s.put(pair) {
					failed.Store(true)
				}
			}
			pairs = pairs[:0]
		}
		for u := uint32(lo); u < uint32(hi) && !failed.Load(); u++ {
			for _, v := range g.Neighbors(u) {
				if s.Mirrored && v < u {
					continue
				}
				if pairs = append(pairs, s.Scramble(u, v)); len(pairs) == batch {
					put()
				}
			}
		}
		put()
		return nil
	})
	return failed.Load(), err
}
