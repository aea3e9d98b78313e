package index_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// byHand returns the places of the edges of v that have a label.
func byHand(g *graph.Graph, v uint32, label int32) (places []uint32) {
	first, end := g.Row(v)
	for i, l := range g.Labels[first:end] {
		if l == label {
			places = append(places, uint32(i))
		}
	}
	return places
}

// The table has the edges of each row and label in their original order: with Starts, with Labels, and for any number of threads.
func TestLabelRows(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"thicket": graphtest.Thicket(false), "star": graphtest.Star(9000, false), "lonely": graphtest.Lonely(false),
		"fan": graphtest.Fan(70_000, false), "nothing": graphtest.Make(0, false, nil),
	} {
		for _, labels := range [][]int32{{4}, {3, 4, 5}, {-7, 1 << 30, -1 << 31, 2}, slices.Collect(manyLabels)} {
			g.Labels = make([]int32, g.NumEdges())
			for i := range g.Labels {
				g.Labels[i] = labels[i*i%len(labels)]
			}
			for _, threads := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/%d labels/%d threads", name, len(labels), threads), func(t *testing.T) {
					rows, err := index.LabelRowsOf(g, g.NumEdges(), graph.Options{Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					sameRows(t, g, rows, append(labels[:min(4, len(labels))], 1234))
					g.Close() // frees the table
				})
			}
		}
	}
}

func manyLabels(yield func(int32) bool) {
	for i := range int32(500) {
		if !yield(i*i%977 - 400) {
			return
		}
	}
}

func sameRows(t *testing.T, g *graph.Graph, rows index.LabelRows, labels []int32) {
	if rows.Starts == nil && g.NumEdges() > 0 && len(rows.Labels) != g.NumEdges() {
		t.Fatal("neither starts nor labels")
	}
	for v := range uint32(g.NumVertices()) {
		for _, label := range labels {
			want := byHand(g, v, label)
			var first, end uint64
			if rows.Starts == nil {
				first, end = rows.Search(g.Indptr[v], g.Indptr[v+1], label)
			} else if kind := rows.Kind(label); kind >= 0 {
				first, end = rows.OfKind(v, kind)
			}
			if !slices.Equal(rows.Places[first:end], want) {
				t.Fatalf("vertex %d, label %d: places %v, expected %v", v, label, rows.Places[first:end], want)
			}
			for i, place := range want {
				if rows.Indices[first+uint64(i)] != g.Neighbors(v)[place] {
					t.Fatalf("vertex %d, label %d: indices %v", v, label, rows.Indices[first:end])
				}
			}
		}
	}
}

// The table is not built before enough work was announced; the work of several calls adds up.
func TestLabelRowsWaitForWork(t *testing.T) {
	g := graphtest.Labelled(graphtest.Thicket(false))
	defer g.Close()
	for announced := 1; ; announced++ {
		rows, err := index.LabelRowsOf(g, 1, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if made := len(rows.Indices) > 0; made != (announced >= g.NumEdges()) {
			t.Fatalf("made is %v after work of %d was announced for %d edges", made, announced, g.NumEdges())
		}
		if announced > g.NumEdges() {
			return
		}
	}
}
