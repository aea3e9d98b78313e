package apps_test

import (
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// The distribution with which Metropolis-Hastings is compared has detailed balance for the uniform distribution, which is then
// stationary: P(u, v) = P(v, u) for all u and v.
func TestMetropolisHastingsHasDetailedBalance(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"diamond": graphtest.Diamond(false), "star": graphtest.Star(7, false), "circle": graphtest.Circle(false),
	} {
		p := apptest.Transitions(g)
		for u := range p {
			sum := 0.0
			for v := range p {
				sum += p[u][v]
				if symmetric := g.HasEdge(uint32(u), uint32(v)) == g.HasEdge(uint32(v), uint32(u)); symmetric && math.Abs(p[u][v]-p[v][u]) > 1e-12 {
					t.Errorf("%s: from %d to %d with probability %v, back with %v", name, u, v, p[u][v], p[v][u])
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: the steps from %d have probability %v", name, u, sum)
			}
		}
	}
}

// Without jumps and sinks, Jump and Restart are DeepWalk; Walk is, if its bias is uniform or the weight.
func TestWalksThatAreDeepWalk(t *testing.T) {
	g := graphtest.Diamond(true)
	for _, w := range []app.Weighted{app.Yes, app.No} {
		bias := map[app.Weighted]app.Bias{app.Yes: app.ByWeight, app.No: app.Uniform}[w]
		teleport := apps.Teleport{Length: 9, Weighted: w}
		for _, a := range []app.App{&apps.Jump{Teleport: teleport}, &apps.Restart{Teleport: teleport}, &apps.Walk{Bias: bias, Length: 9}} {
			want, other := bind(t, &apps.DeepWalk{Length: 9, Weighted: w}, g), bind(t, a, g)
			for id := range uint64(50) {
				key := rng.NewStream(1, rng.Choices).Key(id)
				ours, theirs := other.Sample(g, key, []uint32{2}, app.Row{}), want.Sample(g, key, []uint32{2}, app.Row{})
				if !slices.Equal(ours.Vertices, theirs.Vertices) || !slices.Equal(ours.Edges, theirs.Edges) {
					t.Fatalf("%s: %v, DeepWalk %v", a.Name(), ours.Vertices, theirs.Vertices)
				}
			}
		}
	}
}

func bind(t *testing.T, a app.App, g *graph.Graph) app.App {
	t.Helper()
	bound, err := a.Bind(g)
	if err == nil && bound.Weighs(g) {
		err = index.BuildAlias(g, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// Parse refuses parameters that are invalid for every graph, naming them; Bind refuses those that do not suit the graph.
func TestWalksRefuse(t *testing.T) {
	for _, c := range []struct{ name, params, want string }{
		{"Walk", `{"bias": "size"}`, `bias = "size": expected "uniform", "weight" or "degree"`},
		{"Walk", `{"length": -1}`, "length = -1: expected a number of steps from 0 to 16777216"},
		{"Jump", `{"probability": 1.5}`, "probability = 1.5: expected a probability from 0 to 1"},
		{"Restart", `{"probability": -1}`, "probability = -1: expected a probability from 0 to 1"},
		{"Restart", `{"weighted": "computed"}`, `weighted = "computed": expected "auto", True or False; only walks can compute their biases`},
		{"KHop", `{"fanouts": [1], "weighted": "computed"}`, `weighted = "computed": expected "auto", True or False; only walks can compute their biases`},
		{"MultiDimensionalWalk", `{"dimension": 0}`, "dimension = 0: expected from 1 to 2^28 vertices"},
		{"MetaPath", `{"labels": []}`, "labels = []: expected at least one label"},
		{"MetaPath", `{"labels": [1], "stop": 2}`, "stop = 2: expected a probability from 0 to 1"},
	} {
		if _, err := apps.Parse(c.name, c.params); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v", c.name, c.params, err)
		}
	}
	plain := graphtest.Diamond(false)
	for want, a := range map[string]app.App{
		"bias = \"weight\": the graph has no weights":                                          &apps.Walk{Bias: app.ByWeight},
		"weighted = \"computed\": the graph has no weights":                                    &apps.DeepWalk{Weighted: app.Computed},
		"graph: its edges have no labels, which MetaPath follows; make the graph with labels=": &apps.MetaPath{Labels: []int32{0}},
	} {
		_, err := app.View(a, plain, graph.Options{})
		if err == nil {
			_, err = a.Bind(plain)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", a.Name(), err)
		}
	}
}
