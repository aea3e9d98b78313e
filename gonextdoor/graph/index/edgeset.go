package index

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/rng"
)

// EdgeSet answers whether an edge leads from u to v with one access to memory, where a search of a row needs a chain of
// them: a hash table of buckets that fill a cache line.
//
// A pair of vertices is scrambled by a bijection: its high bits are the number of its bucket, so the low ones, in 32
// bits, say exactly which pair it is. A bucket that is full passes pairs on to the next; the tag counts how far. Which
// slot of a bucket a pair has depends on the order of building, whether it is there does not.
type EdgeSet struct {
	Slots    []uint32 // BucketSlots for each bucket, 0 where nothing is; empty: the graph has no set
	Bits     uint     // vertices are less than 1<<Bits
	Shift    uint     // bits of a scrambled pair below the bucket's number
	Mirrored bool     // the graph is symmetric: of (u, v) and (v, u) only the one with u <= v is there
}

const (
	// BucketSlots is how many tags fill a line.
	BucketSlots = 16
	passes      = 4  // how far a pair is passed on at most
	mostShift   = 29 // so that a tag fits in its slot
)

// Scramble gives the scrambled pair of an edge. Its bucket is pair>>Shift, its tag Tag(pair, 0).
func (s *EdgeSet) Scramble(u, v uint32) uint64 {
	if s.Mirrored && v < u {
		u, v = v, u
	}
	mask := uint64(1)<<(2*s.Bits) - 1
	x := (uint64(u)<<s.Bits | uint64(v)) * rng.Mul1 & mask
	return (x ^ x>>s.Bits) * rng.Mul2 & mask
}

// Tag gives what is stored for a scrambled pair that was passed on so many times.
func (s *EdgeSet) Tag(pair uint64, passed int) uint32 {
	return uint32(pair&(1<<s.Shift-1))<<2 + uint32(passed) + 1
}

// Has says whether an edge leads from u to v.
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

func (s *EdgeSet) bucket(pair uint64, passed int) []uint32 {
	at := (pair>>s.Shift + uint64(passed)) * BucketSlots % uint64(len(s.Slots))
	return s.Slots[at:][:BucketSlots]
}

// put stores a pair, and says whether there was room. Several threads may put at once.
func (s *EdgeSet) put(pair uint64) bool {
	for passed := range passes {
		tag, bucket := s.Tag(pair, passed), s.bucket(pair, passed)
		for i := range bucket {
			if atomic.LoadUint32(&bucket[i]) == 0 && atomic.CompareAndSwapUint32(&bucket[i], 0, tag) {
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

// EdgeSet gives the graph's set. It is made once so much work was announced, by this call and those before it, that it
// pays: as many edges' worth as the graph has. Until then, and for a graph whose vertices are too many for its edges, it
// is empty.
func EdgeSetOf(g *graph.Graph, work int, hands graph.Options) (EdgeSet, error) {
	g = g.Base()
	if announce(edgeSetWork, g, work) < int64(g.NumEdges()) {
		return edgeSetKey.Now(g), nil
	}
	return edgeSetKey.Get(g, func() (EdgeSet, error) { return makeEdgeSet(g, hands) })
}

func makeEdgeSet(g *graph.Graph, hands graph.Options) (EdgeSet, error) {
	mirrored, err := Symmetric(g, hands)
	if err != nil {
		return EdgeSet{}, err
	}
	pairs := g.NumEdges()
	if mirrored {
		pairs = pairs/2 + 1
	}
	s := EdgeSet{Bits: max(1, uint(bits.Len(uint(g.NumVertices()-1)))), Mirrored: mirrored}
	least := min(uint(bits.Len(uint(pairs*3/2/BucketSlots))), 2*s.Bits)
	buckets := least
	if 2*s.Bits > mostShift {
		buckets = max(buckets, 2*s.Bits-mostShift)
	}
	for ; buckets <= least+2 && buckets <= 2*s.Bits; buckets++ {
		s.Shift = 2*s.Bits - buckets
		if s.Slots, err = offheap.Make[uint32](BucketSlots << buckets); err != nil {
			return EdgeSet{}, err
		}
		full, err := s.fill(g, hands)
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

// fill puts all edges, and says whether there was one without room.
func (s *EdgeSet) fill(g *graph.Graph, hands graph.Options) (full bool, err error) {
	const batch = 64 // buckets that are asked for before they are filled
	var failed atomic.Bool
	err = parallel.For(hands.Job, hands.Threads, g.NumVertices(), 1<<12, func(lo, hi int) error {
		pairs := make([]uint64, 0, batch)
		put := func() {
			touched := uint32(0)
			for _, pair := range pairs {
				touched |= atomic.LoadUint32(&s.bucket(pair, 0)[0])
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
