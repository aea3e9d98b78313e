// Package induced finds the edges that lead to the vertices of a set: the links of samples, and the edges among the vertices of
// groups.
package induced

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// Finder finds edges by the bits of vertices. It serves one thread and keeps its scratch memory between calls.
type Finder struct {
	hits  []uint32 // indices within their rows: those of one row, or of all if keeps is set
	keeps bool
	ahead []uint64 // positions to prefetch
}

// Find calls each for every vertex, in order, with the number of the vertex in vertices, the position of its first edge, the
// ends of its edges, and the indices of those ends whose bit is set. It asks stopped once per plan.RowsAhead vertices whether
// to end early. It is
//
//	for i, v := range vertices { each(i, first of v, ends, indices of the ends u for which bit u of bits is set) }
//
// in a pipeline over blocks of vertices: it prefetches the records of block k+1 and the rows of block k, and calls each for
// block k-1.
func (f *Finder) Find(
	g *graph.Graph, rows *rowaccess.Rows, bits []uint64, vertices []uint32, stopped func() bool,
	each func(i int, first uint64, ends, hits []uint32),
) {
	rows.Prefetch(vertices[:min(plan.RowsAhead, len(vertices))])
	for at := 0; at < len(vertices)+plan.RowsAhead && !stopped(); at += plan.RowsAhead {
		if at < len(vertices) {
			end := min(at+plan.RowsAhead, len(vertices))
			rows.Prefetch(vertices[end:min(end+plan.RowsAhead, len(vertices))])
			f.prefetchRows(g, rows, vertices[at:end])
		}
		for i := max(0, at-plan.RowsAhead); i < min(at, len(vertices)); i++ {
			first, degree := rows.Of(vertices[i])
			ends := g.Indices[first : first+degree]
			if !f.keeps {
				f.hits = f.hits[:0]
			}
			at, room := len(f.hits), len(ends)+stage.MarkedSlack
			f.hits = buffer.Grow(f.hits, room)[:at+room]
			n := stage.Marked(unsafe.SliceData(bits), ends, &f.hits[at])
			f.hits = f.hits[:at+n]
			each(i, first, ends, f.hits[at:])
		}
	}
}

// prefetchRows prefetches the first cache lines of the rows of vertices. The CPU's stream prefetcher loads the rest of
// longer rows.
func (f *Finder) prefetchRows(g *graph.Graph, rows *rowaccess.Rows, vertices []uint32) {
	const line, most = 16, 8
	f.ahead = f.ahead[:0]
	for _, v := range vertices {
		first, degree := rows.Of(v)
		for i := uint64(0); i < min(degree, line*most); i += line {
			f.ahead = append(f.ahead, first+i)
		}
	}
	stage.PrefetchIndices(unsafe.SliceData(g.Indices), f.ahead)
}
