package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func TestEdgeSetEqualsSearch(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"thicket": graphtest.Thicket(false), "diamond": graphtest.Diamond(false), "one way": graphtest.OneWay(false),
		"star": graphtest.Star(700, false), "fan": graphtest.Fan(300, false), "lonely": graphtest.Lonely(false),
		"circle": graphtest.Circle(false),
	} {
		early, err := index.EdgeSetOf(g, g.NumEdges()-1, graph.Options{})
		if err != nil || g.NumEdges() > 0 && len(early.Slots) > 0 {
			t.Errorf("%s: a set of %d slots before it pays, error %v", name, len(early.Slots), err)
		}
		s, err := index.EdgeSetOf(g, 1, graph.Options{})
		if err != nil || len(s.Slots) == 0 {
			t.Fatalf("%s: a set of %d slots, error %v", name, len(s.Slots), err)
		}
		for u := range uint32(g.NumVertices()) {
			for v := range uint32(g.NumVertices()) {
				if got, want := s.Has(u, v), g.HasEdge(u, v); got != want {
					t.Fatalf("%s: Has(%d, %d) = %v, expected %v", name, u, v, got, want)
				}
			}
		}
		g.Close()
	}
}
