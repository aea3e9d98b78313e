package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// Biases are in the order of the rows by label, and sums count from the begin of a label's edges in a row.
func TestLabelWeightsAreSumsWithinLabels(t *testing.T) {
	for _, kinds := range []int32{3, 500} {
		g := graphtest.Thicket(true)
		defer g.Close()
		g.Labels = make([]int32, g.NumEdges())
		for i := range g.Labels {
			g.Labels[i] = int32(i*i) % kinds
		}
		rows, err := index.LabelRowsOf(g, g.NumEdges(), graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := index.LabelWeightsOf(g, rows, graph.Options{Threads: 3})
		if err != nil || len(w.Biases) != g.NumEdges() || (w.Totals == nil) != (rows.Starts == nil) {
			t.Fatalf("got %d biases and %d totals: %v", len(w.Biases), len(w.Totals), err)
		}
		for v := range uint32(g.NumVertices()) {
			first, end := g.Row(v)
			for i := first; i < end; i++ {
				if want := g.Biases[first+uint64(rows.Places[i])]; w.Biases[i] != want {
					t.Errorf("edge %d: got %d, expected %d", i, w.Biases[i], want)
				}
			}
		}
		for k, total := range w.Totals {
			sum := uint64(0)
			for i := rows.Starts[k]; i < rows.Starts[k+1]; i++ {
				if i%index.SegmentEdges == 0 && w.Sums[i/index.SegmentEdges] != sum {
					t.Errorf("segment of edge %d: got %d, expected %d", i, w.Sums[i/index.SegmentEdges], sum)
				}
				sum += uint64(w.Biases[i])
			}
			if total != sum {
				t.Errorf("range %d: got %d, expected %d", k, total, sum)
			}
		}
	}
}
