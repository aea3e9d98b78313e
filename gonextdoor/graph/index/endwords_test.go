package index_test

import (
	"slices"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/rng"
)

// ofRows returns a graph with these rows, of vertices below n.
func ofRows(t *testing.T, n int, rows [][]uint32) *graph.Graph {
	t.Helper()
	g := &graph.Graph{Indptr: make([]uint64, 1, n+1)}
	for v := range n {
		if v < len(rows) {
			g.Indices = append(g.Indices, rows[v]...)
		}
		g.Indptr = append(g.Indptr, uint64(len(g.Indices)))
	}
	if g.Indices = append(g.Indices, graph.None); g.Summarize(1, nil) != nil {
		t.Fatal("the graph has no summary")
	}
	return g
}

// nearRows returns rows whose ends are near: runs with gaps and ends that repeat, at words' bounds too. Some rows
// are spread, and some do not ascend.
func nearRows(n int) (rows [][]uint32) {
	for v := range 200 {
		words, row := rng.Key(v), []uint32(nil)
		u := uint32(words.Word(0) % 512)
		for i := range v {
			step := uint32(words.Word(uint64(i+1)) % 16)
			switch {
			case v%10 == 9:
				u += 64 // one end per word
			case step < 12:
				u++
			case step < 14: // the same end again
			default:
				u += step * 5
			}
			row = append(row, u%uint32(n))
		}
		if v%10 != 9 {
			slices.Sort(row)
		}
		if v%10 == 5 && v > 10 {
			row[0], row[1] = row[1], row[0]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestEndWordsAreTheRows(t *testing.T) {
	const n = 4096
	rows := nearRows(n)
	g := ofRows(t, n, rows)
	half := g.NumEdges() / 2
	if w, err := index.EndWordsOf(g, half, graph.Options{}); err != nil || w.First != nil {
		t.Fatalf("words were made after %d of %d ends had been read: %v", half, g.NumEdges(), err)
	}
	stopped := graph.Options{Job: &job.Job{Stop: 1}}
	if w, err := index.EndWordsOf(g, g.NumEdges()-half, stopped); err == nil || w.First != nil || index.EndWordsNow(g).First != nil {
		t.Fatalf("a stopped job made words: %v", err)
	}
	w, err := index.EndWordsOf(graph.NewView(g), g.NumEdges(), graph.Options{Threads: 3})
	if now := index.EndWordsNow(g); err != nil || w.First == nil || &now.Words[0] != &w.Words[0] {
		t.Fatalf("no words: %v", err)
	}
	set := make([]uint64, n/64)
	for i := range set {
		set[i] = rng.Key(n).Word(uint64(i)) | 1 // bits 0 and 63 of some words
	}
	with := 0
	for v, row := range rows {
		words := w.Of(uint32(v))
		if len(words) == 0 {
			continue
		}
		with++
		var ends, hits, met []uint32
		for _, word := range words {
			if int(word.Before) != len(ends) {
				t.Fatalf("row %d: a word after %d edges has %d before it", v, len(ends), word.Before)
			}
			for bit := range uint32(64) {
				if word.Ends>>bit&1 != 0 {
					ends = append(ends, word.Word*64+bit)
				}
			}
		}
		if !slices.Equal(ends, row) || 4*len(words) > len(row) {
			t.Fatalf("row %d of %d edges: %d words have %v, expected %v", v, len(row), len(words), ends, row)
		}
		for i, u := range row {
			if set[u/64]>>(u%64)&1 != 0 {
				hits, met = append(hits, uint32(i)), append(met, u)
			}
		}
		found, at := make([]uint32, len(row)), make([]uint32, len(row))
		count := index.Marked(words, set, &found[0], &at[0])
		if !slices.Equal(found[:count], hits) || !slices.Equal(at[:count], met) {
			t.Fatalf("row %d: edges %v to %v, expected %v to %v", v, found[:count], at[:count], hits, met)
		}
	}
	if with < 50 {
		t.Errorf("%d of %d rows have words", with, len(rows))
	}
}

// Of threads that read the ends of a graph together, one makes its words, and Close frees them.
func TestEndWordsAreMadeOnce(t *testing.T) {
	live := offheap.Live()
	g := ofRows(t, 4096, nearRows(4096))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := index.EndWordsOf(g, g.NumEdges()/4, graph.Options{Threads: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := offheap.Live() - live; index.EndWordsNow(g).First == nil || n != 2 {
		t.Errorf("%d arrays live, expected those of the words", n)
	}
	if g.Close(); offheap.Live() != live {
		t.Errorf("%d arrays live after Close, %d before", offheap.Live(), live)
	}
}

// Rows that are short, or have few ends per word, have no words, and a graph of such rows has none.
func TestEndWordsOfRowsThatHaveNone(t *testing.T) {
	spread := make([]uint32, 100)
	for i := range spread {
		spread[i] = uint32(i) * 32
	}
	short := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	g := ofRows(t, 4096, [][]uint32{spread, short, nil})
	if w, err := index.EndWordsOf(g, g.NumEdges(), graph.Options{}); err != nil || w.First != nil {
		t.Errorf("%d words: %v", len(w.Words), err)
	}
	long := slices.Concat(short, []uint32{15})
	g = ofRows(t, 4096, [][]uint32{spread, short, long})
	w, err := index.EndWordsOf(g, g.NumEdges(), graph.Options{})
	if err != nil || len(w.Words) != 1 || len(w.Of(2)) != 1 {
		t.Errorf("%d words: %v", len(w.Words), err)
	}
}
