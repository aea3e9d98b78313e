package apps_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// localApps are apps that may keep samples, with parameters for which they do and for which they do not.
var localApps = []app.App{
	&apps.DeepWalk{Length: 5}, &apps.DeepWalk{Length: 5, Weighted: app.No}, &apps.DeepWalk{Length: 5, Weighted: app.Computed},
	&apps.PPR{Stop: 0.3}, &apps.NonBacktracking{Length: 5},
	&apps.Node2Vec{P: 2, Q: 0.2, Length: 5}, &apps.Node2Vec{P: 0.1, Q: 4, Length: 5},
	&apps.Node2Vec{P: 0.3, Q: 8, Length: 5, Weighted: app.No}, &apps.Node2Vec{P: 2, Q: 0.2, Length: 5, Weighted: app.Computed},
	&apps.Walk{Bias: app.Uniform, Length: 5}, &apps.Walk{Bias: app.ByWeight, Length: 5}, &apps.Walk{Bias: app.ByDegree, Length: 5},
	&apps.Jump{Teleport: apps.Teleport{Length: 5, Probability: 0.2}}, &apps.Restart{Teleport: apps.Teleport{Length: 5, Probability: 0.2}},
	&apps.MetaPath{Labels: []int32{0, 2, 1}, Length: 5}, &apps.MultiIndependent{Length: 5},
	&apps.TemporalWalk{Length: 5, Strict: true}, &apps.TemporalWalk{Length: 5, Direction: apps.Backward, Bias: app.LinearInTime},
	&apps.TemporalWalk{Length: 5, Bias: app.ExponentialInTime},
	&apps.KHop{Fanouts: []int{3, 2}}, &apps.KHop{Fanouts: []int{3, 2}, Weighted: app.No, Replace: true},
	&apps.Neighbor{Fanouts: []int{3, 2}}, &apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByWeight},
	&apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByDegree}, &apps.Neighbor{Fanouts: []int{3, 2}, FrontierSize: 2},
}

// someEdges returns edges with small integers as weights, some of which are zero, and as labels and times.
func someEdges(r *rand.Rand, vertices int64, n int) build.Edges {
	src, dst := make([]int64, n), make([]int64, n)
	weights, labels, times := make([]float64, n), make([]int64, n), make([]int64, n)
	for i := range n {
		src[i], dst[i] = r.Int64N(vertices), r.Int64N(vertices)
		weights[i], labels[i], times[i] = float64(r.IntN(4)), r.Int64N(3), r.Int64N(9)
	}
	return build.Edges{
		Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Weights: graph.ArrayOf(weights), Labels: graph.ArrayOf(labels),
		Times: graph.ArrayOf(times), NumVertices: build.Unknown,
	}
}

// TestRowLocalSamplesOfVersions adds and removes edges of a few rows. A sample of the version without a vertex of these is a sample
// of the graph, with the same ids of edges, if the app is RowLocal.
func TestRowLocalSamplesOfVersions(t *testing.T) {
	kept := map[string]int{}
	for trial := range uint64(12) {
		r := rand.New(rand.NewPCG(trial, 1))
		g := graphtest.Built(t, someEdges(r, 50, 300))
		vertices := int64(g.NumVertices()) + int64(trial%2)*3
		later, err := build.Updated(build.Update{
			Graph: g, Add: someEdges(r, vertices, 4), NumVertices: int(vertices), RemoveIDs: graph.ArrayOf([]int64{r.Int64N(150), 150 + r.Int64N(150)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range localApps {
			name := fmt.Sprintf("%s%+v", a.Name(), a)
			before, after := samplesOf(t, a, g), samplesOf(t, a, later)
			for i, old := range before {
				if slices.ContainsFunc(old.Vertices, func(v uint32) bool { return v != graph.None && later.Changed[v/64]>>(v%64)&1 != 0 }) {
					continue
				}
				if slices.Equal(old.Vertices, after[i].Vertices) && slices.Equal(old.Edges, after[i].Edges) {
					kept[name]++
				} else if app.IsRowLocal(a, vertices > int64(g.NumVertices())) {
					t.Errorf("trial %d, %s: sample %d is %v, of the version %v", trial, name, i, old.Vertices, after[i].Vertices)
				}
			}
		}
		later.Close()
		g.Close()
	}
	for _, a := range localApps {
		if name := fmt.Sprintf("%s%+v", a.Name(), a); kept[name] < 200 {
			t.Errorf("%s: only %d samples are equal and without a changed row", name, kept[name])
		}
	}
}

// samplesOf returns samples of the definition from all of the first 50 vertices, with ids of edges for their positions.
func samplesOf(t *testing.T, a app.App, g *graph.Graph) (all []app.Row) {
	t.Helper()
	if err := plan.Prepare(a, g, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := a.Bind(view)
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint32(100) {
		row := bound.Sample(view, rng.NewStream(1, rng.Choices).Key(uint64(id)), []uint32{id % 50}, app.Row{ID: uint64(id)})
		for i, p := range row.Edges {
			if p != graph.NoEdge {
				row.Edges[i] = view.EdgeID(p)
			}
		}
		all = append(all, row)
	}
	return all
}
