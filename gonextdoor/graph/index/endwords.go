package index

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// EndWord is a set of successive edges of a row whose ends ascend and have the same number divided by 64.
type EndWord struct {
	Ends   uint64 // bit i: whether an edge leads to vertex 64*Word + i
	Word   uint32
	Before uint32 // the number of edges of the row before these
}

// EndWords are the long rows of a graph as words of bits. Neighbours often have near ids, above all in graphs of the web: then a
// search for the edges to a set of vertices tests one word instead of many ends.
//
// A row of fewer than minEnds edges, or fewer than endsPerWord edges per word, has no words: reading its ends is as fast. If that
// holds for all rows, First is nil.
type EndWords struct {
	First []uint64 // NumVertices+1: of each vertex, the position of its first word
	Words []EndWord
}

const (
	minEnds     = 16
	endsPerWord = 4 // so that the words take at most four bytes per edge
)

// Of returns the words of a vertex, none if its row has no words. First must not be nil.
func (w EndWords) Of(v uint32) []EndWord { return w.Words[w.First[v]:w.First[v+1]] }

var (
	endWordsKey = graph.NewKey(func(w EndWords) {
		offheap.Free(w.First)
		offheap.Free(w.Words)
	})
	endWordsWork = graph.NewKey[*atomic.Int64](nil)
)

// EndWordsNow returns the words of a graph if they have been made.
func EndWordsNow(g *graph.Graph) EndWords { return endWordsKey.Now(g.Base()) }

// EndWordsOf returns the words of a graph. read is the number of ends that the caller has read in search of edges. The caller
// with which all callers have read as many ends as the graph has, which pays for making the words, makes them. Before and
// meanwhile there are none, and no caller waits. After an error, they are tried again once as many ends have been read again.
func EndWordsOf(g *graph.Graph, read int, opts graph.Options) (EndWords, error) {
	g = g.Base()
	if endWordsKey.Has(g) {
		return endWordsKey.Now(g), nil
	}
	least := int64(g.NumEdges())
	if all := announce(endWordsWork, g, read); all < least || all-int64(read) >= least {
		return endWordsKey.Now(g), nil
	}
	w, err := endWordsKey.Get(g, func() (EndWords, error) { return makeEndWords(g, opts) })
	if err != nil {
		announce(endWordsWork, g, -int(announce(endWordsWork, g, 0)))
	}
	return w, err
}

// makeEndWords makes the words of a graph.
func makeEndWords(g *graph.Graph, opts graph.Options) (w EndWords, err error) {
	defer func() {
		if err != nil || len(w.Words) == 0 {
			offheap.Free(w.First)
			offheap.Free(w.Words)
			w = EndWords{}
		}
	}()
	n := g.NumVertices()
	if w.First, err = offheap.Make[uint64](n + 1); err != nil {
		return w, err
	}
	// 1. Count the words of each row.
	err = parallel.For(opts.Job, opts.Threads, n, graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			row := g.Neighbors(uint32(v))
			if words := countEndWords(row); len(row) >= minEnds && words*endsPerWord <= len(row) {
				w.First[v+1] = uint64(words)
			}
		}
		return nil
	})
	if err != nil {
		return w, err
	}
	for v := range n {
		w.First[v+1] += w.First[v]
	}
	// 2. Write them.
	if w.Words, err = offheap.Make[EndWord](int(w.First[n])); err != nil {
		return w, err
	}
	err = parallel.For(opts.Job, opts.Threads, n, graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			if words := w.Of(uint32(v)); len(words) > 0 {
				putEndWords(g.Neighbors(uint32(v)), words)
			}
		}
		return nil
	})
	return w, err
}

// countEndWords returns the number of words of a row.
func countEndWords(row []uint32) (n int) {
	for i, u := range row {
		if i == 0 || beginsWord(row[i-1], u) {
			n++
		}
	}
	return n
}

// putEndWords writes the words of a row.
func putEndWords(row []uint32, words []EndWord) {
	at := -1
	for i, u := range row {
		if i == 0 || beginsWord(row[i-1], u) {
			at++
			words[at] = EndWord{Word: u >> 6, Before: uint32(i)}
		}
		words[at].Ends |= 1 << (u & 63)
	}
}

// beginsWord reports whether the edge to u begins a word after the edge to before, in its row.
func beginsWord(before, u uint32) bool { return u>>6 != before>>6 || u <= before }

// EdgesOf returns the number of edges of the words of a row.
func EdgesOf(words []EndWord) int {
	if len(words) == 0 {
		return 0
	}
	last := words[len(words)-1]
	return int(last.Before) + bits.OnesCount64(last.Ends)
}

// Marked appends the edges of words to vertices whose bit is set, in the order of the row: the indices of the edges within the
// row to hits, and the vertices to ends. Both have room for EdgesOf(words). It returns the number of edges.
func Marked(words []EndWord, set []uint64, hits, ends *uint32) int {
	n := uintptr(0)
	for i := range words {
		w := &words[i]
		for both := w.Ends & set[w.Word]; both != 0; both &= both - 1 {
			bit := both & -both
			*(*uint32)(unsafe.Add(unsafe.Pointer(hits), n*4)) = w.Before + uint32(bits.OnesCount64(w.Ends&(bit-1)))
			*(*uint32)(unsafe.Add(unsafe.Pointer(ends), n*4)) = w.Word<<6 + uint32(bits.TrailingZeros64(both))
			n++
		}
	}
	return int(n)
}
