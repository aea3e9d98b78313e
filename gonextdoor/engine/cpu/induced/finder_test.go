package induced

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// TestRowsShorterThanTheirWords searches rows of a file that changed after their words were made: the words have room.
func TestRowsShorterThanTheirWords(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 9, EdgeFactor: 16, Symmetric: true})
	words, err := index.EndWordsOf(g, 1<<40, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]uint64, g.NumVertices()/64)
	for i := range all {
		all[i] = ^uint64(0)
	}
	most := 0
	for v := range uint32(g.NumVertices()) {
		row, f := g.Neighbors(v), Finder{}
		if len(words.Of(v)) == 0 {
			continue
		}
		f.search(nil, words.Of(v), all)
		if most = max(most, len(row)); !slices.Equal(f.ends, row) || index.EdgesOf(words.Of(v)) != len(row) {
			t.Fatalf("vertex %d: got %d edges, expected the %d of the words", v, len(f.ends), len(row))
		}
	}
	if most < 100 {
		t.Fatalf("rows have at most %d edges: expected some that exceed all slack", most)
	}
}
