package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func TestSegmentsAreSumsWithinRows(t *testing.T) {
	var edges []graphtest.Edge
	for u := range uint32(9) { // rows of 0 to 56 edges, which begin within segments; some edges have no bias
		for v := range 7 * u {
			edges = append(edges, graphtest.Edge{From: u, To: v, Bias: v % 3 * (u + 1<<30)})
		}
	}
	g := graphtest.Make(64, true, edges)
	defer g.Close()
	s, err := index.SegmentsOf(g, graph.Options{Threads: 3})
	if err != nil || len(s.Totals) != g.NumVertices() || len(s.Sums) != (g.NumEdges()+31)/32 {
		t.Fatalf("got %d totals and %d sums: %v", len(s.Totals), len(s.Sums), err)
	}
	for u := range s.Totals {
		sum := uint64(0)
		for at, end := g.Row(uint32(u)); at < end; at++ {
			if at%index.SegmentEdges == 0 && s.Sums[at/index.SegmentEdges] != sum {
				t.Errorf("the segment from edge %d of vertex %d: got %d, expected %d", at, u, s.Sums[at/index.SegmentEdges], sum)
			}
			sum += uint64(g.Biases[at])
		}
		if s.Totals[u] != sum {
			t.Errorf("vertex %d: got %d, expected %d", u, s.Totals[u], sum)
		}
	}
	if s, err = index.SegmentsOf(graphtest.Diamond(false), graph.Options{}); s.Totals != nil || s.Sums != nil || err != nil {
		t.Errorf("unweighted: got %v, %v", s, err)
	}
}
