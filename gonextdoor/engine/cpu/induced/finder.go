// Package induced finds the edges that lead to the vertices of a set: the links of samples, and the edges among the vertices of
// groups.
package induced

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
)

// Finder finds edges by the bits of vertices. It serves one thread and keeps its scratch memory between calls.
type Finder struct {
	hits, ends []uint32 // indices within their rows, and ends: those of one row, or of all if keeps is set
	keeps      bool
	words      index.EndWords
	// Positions to prefetch in the graph's indices, and in its words as 32-bit numbers.
	ahead, wordsAhead []uint64
}

// Find calls each for every vertex, in order, with the number of the vertex in vertices, the position of its first edge, the
// ends of its edges whose bit is set, and the indices of these edges within the row. each may overwrite both. Find asks stopped
// once per plan.RowsAhead vertices whether to end early. It is
//
//	for i, v := range vertices { each(i, first of v, ends u of v for which bit u of bits is set, their indices) }
//
// in a pipeline over blocks of vertices: it prefetches the records of block k+1 and the rows of block k, and calls each for
// block k-1. Rows that index.EndWords has are searched there, once enough rows have been read to pay for making them.
func (f *Finder) Find(
	g *graph.Graph, rows *rowaccess.Rows, bits []uint64, vertices []uint32, stopped func() bool,
	each func(i int, first uint64, ends, hits []uint32),
) {
	f.words = index.EndWordsNow(g)
	f.prefetchRecords(rows, vertices[:min(plan.RowsAhead, len(vertices))])
	read := 0
	for at := 0; at < len(vertices)+plan.RowsAhead && !stopped(); at += plan.RowsAhead {
		if at < len(vertices) {
			end := min(at+plan.RowsAhead, len(vertices))
			f.prefetchRecords(rows, vertices[end:min(end+plan.RowsAhead, len(vertices))])
			f.prefetchRows(g, rows, vertices[at:end])
		}
		for i := max(0, at-plan.RowsAhead); i < min(at, len(vertices)); i++ {
			if !f.keeps {
				f.hits, f.ends = f.hits[:0], f.ends[:0]
			}
			first, degree := rows.Of(vertices[i])
			at := len(f.hits)
			f.search(g.Indices[first:first+degree], f.wordsOf(vertices[i]), bits)
			each(i, first, f.ends[at:], f.hits[at:])
			read += int(degree)
		}
	}
	// The words serve later calls, so their errors are not those of this one. Without memory for the words, later calls read the
	// rows; so they do, and report it, if a mapped file became shorter. One thread: other threads of the caller are at work.
	_, _ = index.EndWordsOf(g, read, graph.Options{Threads: 1})
}

// search appends the edges of a row whose bit is set to hits and ends. words are those of the row, if it has some.
func (f *Finder) search(row []uint32, words []index.EndWord, bits []uint64) {
	at, room := len(f.hits), max(len(row), index.EdgesOf(words))+stage.MarkedSlack // a row of a changed file may be shorter
	f.hits, f.ends = buffer.Grow(f.hits, room)[:at+room], buffer.Grow(f.ends, room)[:at+room]
	n := 0
	if len(words) > 0 {
		n = index.Marked(words, bits, &f.hits[at], &f.ends[at])
	} else {
		n = stage.Marked(unsafe.SliceData(bits), row, &f.hits[at])
		for k, hit := range f.hits[at : at+n] {
			f.ends[at+k] = row[hit]
		}
	}
	f.hits, f.ends = f.hits[:at+n], f.ends[:at+n]
}

// wordsOf returns the words of the row of a vertex, none if its ends are to be read.
func (f *Finder) wordsOf(v uint32) []index.EndWord {
	if f.words.First == nil {
		return nil
	}
	return f.words.Of(v)
}

// prefetchRecords prefetches what locates the rows of vertices.
func (f *Finder) prefetchRecords(rows *rowaccess.Rows, vertices []uint32) {
	rows.Prefetch(vertices)
	if f.words.First != nil {
		stage.PrefetchRecords(unsafe.Pointer(unsafe.SliceData(f.words.First)), vertices)
	}
}

// prefetchRows prefetches the first cache lines of the rows of vertices, or of their words. The CPU's stream prefetcher loads the
// rest of longer rows.
func (f *Finder) prefetchRows(g *graph.Graph, rows *rowaccess.Rows, vertices []uint32) {
	const line, most = 16, 8
	const perWord = uint64(unsafe.Sizeof(index.EndWord{}) / 4)
	ends, words := f.ahead[:0], f.wordsAhead[:0]
	for _, v := range vertices {
		if own := uint64(len(f.wordsOf(v))); own > 0 {
			for i := uint64(0); i < min(own*perWord, line*most); i += line {
				words = append(words, f.words.First[v]*perWord+i)
			}
			continue
		}
		first, degree := rows.Of(v)
		for i := uint64(0); i < min(degree, line*most); i += line {
			ends = append(ends, first+i)
		}
	}
	stage.PrefetchIndices(unsafe.SliceData(g.Indices), ends)
	stage.PrefetchIndices((*uint32)(unsafe.Pointer(unsafe.SliceData(f.words.Words))), words)
	f.ahead, f.wordsAhead = ends, words
}
