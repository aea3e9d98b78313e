package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func TestProposalsPayInRowsThatSaveMoreThanTheyCost(t *testing.T) {
	const one = 1 << 32
	for _, c := range []struct{ n, sum, want uint64 }{
		{1, 0, 0}, {1, one / 2, 128}, {64, one, 128}, {64, one - 1, 0}, {128, 2*one - 1, 0}, {128, 2 * one, 128},
		{1 << 20, 64*one - 1, 0}, {1 << 20, 64 * one, 128}, {1 << 40, 1 << 48, 128},
	} {
		if got := index.TriesByWeight(c.n, c.sum); got != c.want {
			t.Errorf("%d edges, sum %d: got %d, expected %d", c.n, c.sum, got, c.want)
		}
	}
}

func TestRowTriesAreThoseOfEachRow(t *testing.T) {
	var edges []graphtest.Edge
	for u := range uint32(8) { // rows of 200u edges; in every second one, the first edge is much heavier than the others
		for v := range 200 * u {
			edges = append(edges, graphtest.Edge{From: u, To: v, Bias: 1 + u%2*9999*(1-min(v, 1))})
		}
	}
	g := graphtest.Make(1400, true, edges)
	table, err := index.RowTries(g, graph.Options{Threads: 3})
	if err != nil || len(table) != g.NumVertices() {
		t.Fatalf("got %d elements, %v", len(table), err)
	}
	found := map[uint8]int{}
	for u, tries := range table {
		found[tries]++
		if want := index.TriesOf(g, uint32(u)); uint64(tries) != want {
			t.Errorf("vertex %d: got %d, expected %d", u, tries, want)
		}
	}
	if found[0] == 0 || found[index.MostTries] == 0 || len(found) != 2 {
		t.Errorf("got %v", found)
	}
	if table, err = index.RowTries(graphtest.Diamond(false), graph.Options{}); table != nil || err != nil {
		t.Errorf("unweighted: got %v, %v", table, err)
	}
}
