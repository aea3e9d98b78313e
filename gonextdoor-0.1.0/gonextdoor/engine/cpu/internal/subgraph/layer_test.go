package subgraph

import (
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// fast has the growers that this file compares with the serial definitions.
var fast = map[string]func(p plan.Plan, g *graph.Graph) (persample.Grow, error){
	"Layer": Layer, "LADIES": LADIES, "FastGCN": FastGCN, "MVS": MVS,
}

// likeDefinition compares some samples of a grower with those of the serial definition.
func likeDefinition(t *testing.T, a app.App, g *graph.Graph, width, samples int) {
	t.Helper()
	p, err := plan.New(a, g, width)
	if err == nil {
		err = p.BuildTables(p.Graph, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	grow, err := fast[a.Name()](p, p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	var got app.Row
	for id := range uint64(samples) {
		key, roots := rng.NewStream(3, rng.Choices).Key(id), make([]uint32, width)
		for i := range roots {
			v, _ := rng.Below(key.Word(uint64(i)), uint64(g.NumVertices()))
			roots[i] = uint32(v)
		}
		want := p.App.Sample(p.Graph, key, roots, app.Row{ID: id})
		got = grow(key, roots, got.Reset(id))
		if !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Edges, want.Edges) || !slices.Equal(got.Ends, want.Ends) ||
			!slices.Equal(got.Parents, want.Parents) || !slices.Equal(got.Links, want.Links) {
			t.Fatalf("%+v, sample %d: another than the definition's", a, id)
		}
	}
}

// Steps of some hundred choices: more candidates than attempts, and steps with fewer candidates than their size.
func TestLargeLayersAreTheDefinitions(t *testing.T) {
	g, err := build.RMAT{Scale: 11, EdgeFactor: 8, Symmetric: true, Low: 1e-9, High: 1e3, Seed: 2}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, a := range []app.App{
		&apps.Layer{StepSize: 150, MaxSize: 500, Unique: true},
		&apps.Layer{StepSize: 20, MaxSize: 70, Unique: true},
		&apps.Layer{StepSize: 60, MaxSize: 130, Unique: true, Bias: app.ByWeight},
		&apps.Layer{StepSize: 60, MaxSize: 130, Bias: app.ByWeight},
		&apps.LADIES{Sizes: []int{100, 90}, Normalize: true},
		&apps.FastGCN{Sizes: []int{200, 100}},
	} {
		likeDefinition(t, a, g, 40, 3)
	}
	scores := make([]float64, g.NumVertices())
	for v := range scores {
		scores[v] = float64(v % 7)
	}
	given, err := app.NewScores(scores)
	if err != nil {
		t.Fatal(err)
	}
	likeDefinition(t, &apps.MVS{Batch: 100, Fanouts: []int{70, 2}, Scores: given}, g, 0, 3)
}

// The row of a hub has many times more edges than distinct ends, so that the attempts run out.
func TestLayersOfAHub(t *testing.T) {
	var from, to []uint32
	var weights []float64
	for i := range uint32(40_000) {
		u := uint32(1)
		if i%400 == 0 {
			u = 2 + i/400
		}
		from, to, weights = append(from, 0), append(to, u), append(weights, 1+float64(i%7))
	}
	g, err := build.FromEdges(build.Edges{
		Sources: graph.ArrayOf(from), Targets: graph.ArrayOf(to), Weights: graph.ArrayOf(weights), NumVertices: 110,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	likeDefinition(t, &apps.Layer{StepSize: 60, MaxSize: 100, Unique: true}, g, 200, 1)
	likeDefinition(t, &apps.Layer{StepSize: 20, MaxSize: 30, Unique: true, Bias: app.ByWeight}, g, 200, 1)
	likeDefinition(t, &apps.LADIES{Sizes: []int{50, 20}, Replace: true}, g, 200, 2)
}

// Biases whose sum exceeds 64 bits are drawn as in the serial definition.
func TestLayersBeyond64Bits(t *testing.T) {
	l := &layerSampler{}
	for i := range uint64(40) {
		l.biases, l.nextEqual = append(l.biases, math.MaxUint64>>(i%9)), append(l.nextEqual, uint32(i^1))
	}
	biases := slices.Clone(l.biases)
	key := rng.NewStream(1, rng.Choices).Key(1)
	l.scanWithout(key, 0, 30)
	seen := map[uint64]bool{}
	for _, i := range l.picks {
		if seen[i] || seen[i^1] || biases[i] == 0 {
			t.Errorf("%d was picked with %v", i, l.picks)
		}
		seen[i] = true
	}
	if len(l.picks) != 20 {
		t.Errorf("%d picks of 20 pairs", len(l.picks))
	}
}
