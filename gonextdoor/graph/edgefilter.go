package graph

import (
	"math/bits"
	"sort"
	"sync/atomic"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/rng"
)

// EdgeFilter answers most questions for an edge with one access to memory where the answer is no: a Bloom filter whose
// bits for one edge all lie in one word (Putze, Sanders & Singler, WEA'07). "No" is certain, "maybe" is not.
type EdgeFilter struct {
	Words    []uint64 // empty: the graph has no filter, everything is "maybe"
	Mirrored bool     // the graph is symmetric: (u, v) is asked for and stored as (v, u) where v < u
}

// filterBits is how many bits of the filter there are per stored edge: 1 in about 200 absent edges is a "maybe".
const filterBits = 16

// Hash gives the hash of an edge: the high product with len(Words) is the place of its word, the low 24 bits are the
// places of its 4 bits there.
func (f EdgeFilter) Hash(u, v uint32) uint64 {
	if f.Mirrored && v < u {
		u, v = v, u
	}
	x := (uint64(u)<<32 | uint64(v)) * rng.Mul1
	return (x ^ x>>32) * rng.Mul2
}

// FilterMask gives the bits of a hash within its word.
func FilterMask(hash uint64) uint64 {
	return 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63) | 1<<(hash>>18&63)
}

// MayHave is false if no edge leads from u to v.
func (f EdgeFilter) MayHave(u, v uint32) bool {
	if len(f.Words) == 0 {
		return true
	}
	h := f.Hash(u, v)
	at, _ := bits.Mul64(h, uint64(len(f.Words)))
	mask := FilterMask(h)
	return f.Words[at]&mask == mask
}

// EdgeFilter gives the graph's filter, made at the first call. A graph has none where it would not pay: where most
// candidates of a second-order walk are neighbours indeed.
func (g *Graph) EdgeFilter() (EdgeFilter, error) {
	return g.tables.filter.get(func() (EdgeFilter, error) {
		if g.closure() > maxFilterClosure {
			return EdgeFilter{}, nil
		}
		return g.makeEdgeFilter()
	})
}

func (g *Graph) makeEdgeFilter() (EdgeFilter, error) {
	f := EdgeFilter{}
	words, err := offheap.Make[uint64](g.NumEdges()*filterBits/64 + 1)
	if err != nil {
		return f, err
	}
	f.Words = words
	// An order of the edges would make no difference: bits are only ever added.
	return f, parallel.For(nil, 0, g.NumVertices(), 1<<12, func(lo, hi int) error {
		for u := uint32(lo); u < uint32(hi); u++ {
			for _, v := range g.Neighbors(u) {
				if f.Mirrored && v < u {
					continue
				}
				h := f.Hash(u, v)
				at, _ := bits.Mul64(h, uint64(len(words)))
				atomic.OrUint64(&words[at], FilterMask(h))
			}
		}
		return nil
	})
}

const (
	maxFilterClosure = 0.25 // beyond it, most questions that reach the filter would have to be asked again
	closureSamples   = 4096
)

// closure estimates how often a second-order walk's candidate is a neighbour of the vertex before, from paths u, v, c
// drawn at random.
func (g *Graph) closure() float64 {
	if g.NumEdges() == 0 {
		return 0
	}
	key := rng.NewStream(0, rng.Edges).Key(0)
	closed := 0
	for i := range uint64(closureSamples) {
		position, _ := rng.Below(key.Word(2*i), uint64(g.NumEdges()))
		u := uint32(sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > position }))
		row := g.Neighbors(g.Indices[position])
		j, _ := rng.Below(key.Word(2*i+1), uint64(len(row)))
		if len(row) > 0 && row[j] != u && g.HasEdge(u, row[j]) {
			closed++
		}
	}
	return float64(closed) / closureSamples
}
