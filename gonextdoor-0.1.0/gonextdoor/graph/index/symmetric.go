package index

import (
	"slices"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var symmetricKey = graph.NewKey[bool](nil)

// Symmetric reports whether every edge (u, v) has an edge (v, u). It is
//
//	for each edge (u, v) { if !g.HasEdge(v, u) { return false } }; return true
//
// and is computed at the first call and cached. When u runs through all vertices in order, the vertices that list v appear in
// the order of row v, so one cursor per row suffices. Each piece of work handles a range of targets v, whose cursors fit in a
// cache.
func Symmetric(g *graph.Graph, opts graph.Options) (bool, error) {
	if err := g.ValidateWith(opts); err != nil {
		return false, err
	}
	return symmetricKey.Get(g, func() (bool, error) { return mirroredEverywhere(g, opts) })
}

// mirroredEverywhere computes Symmetric.
func mirroredEverywhere(g *graph.Graph, opts graph.Options) (bool, error) {
	var not atomic.Bool
	n := g.NumVertices()
	err := parallel.For(opts.Job, opts.Threads, n, symmetricChunk(n), func(lo, hi int) error {
		if !not.Load() && !mirrored(g, uint32(lo), uint32(hi), &not) {
			not.Store(true)
		}
		return nil
	})
	return !not.Load(), err
}

// symmetricChunk returns the number of targets of a piece. Fewer fit in a smaller cache, but each piece searches every row.
func symmetricChunk(n int) int { return max(1<<18, n/64) }

// mirrored reports whether each edge to a vertex from lo to hi-1 has its reverse. It gives up, with true, once stop is set.
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
				continue // a repeated edge
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
