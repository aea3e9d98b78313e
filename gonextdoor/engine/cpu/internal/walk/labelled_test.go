package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// rowsOf returns a graph whose vertices have the given degrees, with labels from -1 to 1, some of them rare, and weights from 0 on.
func rowsOf(degrees []int) *graph.Graph {
	words, edges := rng.NewStream(1, rng.Choices).Key(0), []graphtest.Edge{}
	for v, degree := range degrees {
		for i := range degree {
			word := words.Word(uint64(len(edges)))
			edges = append(edges, graphtest.Edge{From: uint32(v), To: uint32(i % len(degrees)), Bias: uint32(word) >> (word >> 59)})
		}
	}
	g := graphtest.Make(len(degrees), true, edges)
	g.Labels = make([]int32, len(edges))
	for i := range g.Labels {
		g.Labels[i] = int32(min(2, words.Word(uint64(i))>>40%100)) - 1
	}
	return g
}

// MetaPath chooses in rows of all lengths as its definition does: without stored sums of rows, with those that two threads make, and in
// rows ordered by label.
func TestMetaPathSearchesUnorderedRows(t *testing.T) {
	degrees := []int{0, 1, 3, 4, 63, 64, 65, 128, 129, 130, 191, 192, 193, 1000, 512*64 + 200}
	for _, weighted := range []app.Weighted{app.No, app.Yes} {
		for _, pure := range []bool{false, true} {
			g := rowsOf(degrees)
			defer g.Close()
			path := slices.Repeat([]int32{1, -1, 0, 7}, 10) // the memory of their sums takes a few calls to pay
			p, err := plan.New(&apps.MetaPath{Labels: path, Length: 3, Weighted: weighted}, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			stored := 0
			for call := range 12 {
				if call == 11 { // order the rows
					if _, err := index.LabelRowsOf(g, g.NumEdges(), graph.Options{}); err != nil {
						t.Fatal(err)
					}
				}
				b := plan.Batch{Roots: plan.Roots{Count: len(degrees), Width: 1, Repeat: 1}, Seed: uint64(call), Threads: 2, Edges: true}
				got := sample(t, cpu.Engine{Pure: pure}, p, p.Graph, b)
				compare(t, fmt.Sprintf("weighted %v, pure %v, call %d", weighted, pure, call), got, sample(t, serial.Engine{}, p, p.Graph, b))
				if index.LabelSumsOf(g, weighted == app.Yes, path)[0].Ends() != nil {
					stored++
				}
			}
			if stored == 0 || stored == 12 {
				t.Errorf("sums were stored in %d of 12 calls", stored)
			}
		}
	}
}
