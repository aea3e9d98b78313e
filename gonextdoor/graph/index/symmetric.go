package index

import (
	"slices"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var symmetricKey = graph.NewKey[bool](nil)

// SymmetricBy says whether every edge (u, v) has an edge (v, u). It is
//
//	for each edge (u, v) { if !g.HasEdge(v, u) { return false } }; return true
//
// and is found at the first call. Going through u in order, row v must name each u that names v in that same order: a
// cursor into each row is all that is needed. A piece looks at the targets of a range, whose cursors fit a cache.
func Symmetric(g *graph.Graph, hands graph.Options) (bool, error) {
	if err := g.ValidateWith(hands); err != nil {
		return false, err
	}
	return symmetricKey.Get(g, func() (bool, error) { return mirroredEverywhere(g, hands) })
}

func mirroredEverywhere(g *graph.Graph, hands graph.Options) (bool, error) {
	var not atomic.Bool
	n := g.NumVertices()
	err := parallel.For(hands.Job, hands.Threads, n, symmetricChunk(n), func(lo, hi int) error {
		if !not.Load() && !mirrored(g, uint32(lo), uint32(hi), &not) {
			not.Store(true)
		}
		return nil
	})
	return !not.Load(), err
}

// symmetricChunk balances the cursors' cache against a search in every row for every piece.
func symmetricChunk(n int) int { return max(1<<18, n/64) }

// mirrored says whether each edge that leads to one of lo ... hi-1 has its reverse.
func mirrored(g *graph.Graph, lo, hi uint32, stop *atomic.Bool) bool {
	cursors := make([]uint64, hi-lo)
	for i := range cursors {
		cursors[i] = g.Indptr[lo+uint32(i)]
	}
	for u := range uint32(g.NumVertices()) {
		row := g.Neighbors(u)
		if lo > 0 {
			from, _ := slices.BinarySearch(row, lo)
			row = row[from:]
		}
		for i, v := range row {
			if v >= hi {
				break
			}
			if i > 0 && v == row[i-1] {
				continue
			}
			c, end := cursors[v-lo], g.Indptr[v+1]
			if c == end || g.Indices[c] != u {
				return false
			}
			for c < end && g.Indices[c] == u {
				c++
			}
			cursors[v-lo] = c
		}
		if u&0xffff == 0 && stop.Load() {
			return true
		}
	}
	return true
}
