package index

import (
	"slices"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
)

// The view's biases are degrees. It shares everything else with the graph, and is freed with the graph.
func TestByDegreeIsAViewOfTheGraph(t *testing.T) {
	live := offheap.Live()
	g := graphtest.Full(t, false)
	views := make([]*graph.Graph, 8)
	var wg sync.WaitGroup
	for i := range views {
		wg.Go(func() {
			v, err := ByDegree(g, graph.Options{})
			if err != nil {
				t.Error(err)
			}
			views[i] = v
		})
	}
	wg.Wait()
	v := views[0]
	for p, u := range g.Indices {
		if uint64(v.Biases[p]) != g.Degree(u) {
			t.Fatalf("edge %d leads to a vertex of degree %d and has the bias %d", p, g.Degree(u), v.Biases[p])
		}
	}
	if again, err := ByDegree(v, graph.Options{}); err != nil || again != v || slices.ContainsFunc(views, func(o *graph.Graph) bool { return o != v }) {
		t.Error("the view was made more than once", err)
	}
	if v.MaxDegree() != g.MaxDegree() || v.HasSinks() != g.HasSinks() || v.Weight(0, 0) != float64(v.Biases[0]) || &v.Indices[0] != &g.Indices[0] {
		t.Error("the view is not of the graph")
	}
	if err := BuildAlias(v, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	ours, err := PackedOf(v)
	theirs, other := PackedOf(g)
	if err != nil || other != nil || &ours.Records[0] != &theirs.Records[0] {
		t.Error("the view made separate records", err, other)
	}
	if AliasOf(g) != nil && &AliasOf(g)[0] == &AliasOf(v)[0] {
		t.Error("the view made alias tables for the graph")
	}
	g.Close()
	if n := offheap.Live(); n > live {
		t.Errorf("%d arrays are left", n-live)
	}
}
