package enginetest

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// Negatives compares pairs without an edge with their definition on a graph with few of them, so that many samples are the exact choice
// after all tries. The engine runs the cases that wanted selects.
func Negatives(t *testing.T, e engine.Engine, wanted func(c Case) bool) {
	t.Helper()
	g := graphtest.Dense(20, [][2]uint32{{0, 3}, {0, 17}, {0, 18}, {5, 4}, {12, 0}, {19, 19}}...)
	defer g.Close()
	weights, ids := make([]float64, 20), make([]uint32, 20)
	for v := range weights {
		weights[v], ids[v] = float64(v*v%7), uint32(v%2)
	}
	scores, err := app.NewScores(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []struct {
		app   app.App
		width int
	}{
		{&apps.Negatives{}, 1}, {&apps.Negatives{Loops: true, Ends: 18}, 1}, {&apps.Negatives{Weights: scores}, 1},
		{&apps.Negatives{Clusters: &app.Clusters{IDs: ids}}, 1}, {&apps.Negatives{Candidates: &app.VertexList{Vertices: []uint32{18, 4, 3, 18}}}, 1},
		{&apps.NegativePairs{}, 0}, {&apps.NegativePairs{Loops: true, Sources: 19}, 0}, {&apps.NegativePairs{Weights: scores}, 0},
		{&apps.NegativePairs{Loops: true, Weights: scores, SourceWeights: scores}, 0},
	} {
		c := Case{App: a.app, Graph: g, Width: a.width, known: map[string][]sample{}}
		if !wanted(c) {
			t.Errorf("%+v does not run", a.app)
		}
		for _, v := range []Variant{
			{Seed: 3, Threads: 2, Repeat: 7, All: true, Packed: true, Edges: true}, {Seed: 4, First: 90, Threads: 1, Repeat: 3},
		} {
			if err := c.Check(e, v); err != nil {
				t.Errorf("%+v: %v", a.app, err)
			}
		}
	}
}

// NegativesAtHops compares vertices at a number of hops with their definition: on a graph of which a level has more long rows than a
// block of a GPU lists, and on a ring whose levels are in several chunks of bitmaps.
func NegativesAtHops(t *testing.T, e engine.Engine) {
	t.Helper()
	const hubs, n, ring = 260, 1 << 13, 3000
	var spread, around []graphtest.Edge
	for hub := uint32(1); hub <= hubs; hub++ {
		spread = append(spread, graphtest.Edge{From: 0, To: hub, Bias: 1})
		for k := range uint32(1030) {
			spread = append(spread, graphtest.Edge{From: hub, To: 300 + (hub*977+k*7)%(n-300), Bias: 1})
		}
	}
	for v := range uint32(ring) {
		for _, step := range []uint32{1, 1025} {
			around = append(around, graphtest.Edge{From: v, To: (v + step) % ring, Bias: 1})
		}
	}
	for _, x := range []struct {
		app   app.App
		edges []graphtest.Edge
		n     int
	}{
		{&apps.Negatives{Hops: 2, Ends: 5001}, spread, n}, {&apps.Negatives{Hops: 5}, around, ring}, {&apps.Negatives{Hops: 3, Ends: 1}, around, ring},
	} {
		g := graphtest.Make(x.n, false, x.edges)
		c := Case{App: x.app, Graph: g, Width: 1, known: map[string][]sample{}}
		for _, v := range []Variant{{Seed: 5, Threads: 2, Repeat: 40, Packed: true, Edges: true}, {Seed: 6, Threads: 1, Repeat: 150}} {
			if err := c.Check(e, v); err != nil {
				t.Errorf("%+v: %v", x.app, err)
			}
		}
		g.Close()
	}
}
