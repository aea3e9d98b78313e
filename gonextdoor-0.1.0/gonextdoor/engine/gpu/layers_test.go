package gpu_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// layersEqual compares layered samples of an app, some per row of roots, with those of the CPU.
func layersEqual(t *testing.T, a app.App, g *graph.Graph, roots [][]uint32, tunings ...gpu.Tuning) {
	t.Helper()
	r := plan.Roots{Count: len(roots), Repeat: 1, Width: len(roots[0]), Vertices: slices.Concat(roots...)}
	p, err := plan.New(a, g, r.Width)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	b := plan.Batch{Roots: r, Seed: 3, First: 1 << 40, Threads: 1, Edges: true}
	want, err := cpu.Engine{}.Layers(p, p.Graph, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Return()
	for _, tuning := range tunings {
		got, err := gpu.Engine{Device: device(t), Tuning: tuning}.Layers(p, p.Graph, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if what := differing(got, want); what != "" {
			t.Errorf("%+v: %s differ: %d vertices, expected %d", tuning, what, len(got.Vertices), len(want.Vertices))
		}
		got.Return()
	}
}

// differing names the first part of two results that differs, or returns "".
func differing(got, want output.Layers) string {
	switch {
	case !slices.Equal(got.Offsets, want.Offsets):
		return "offsets"
	case !slices.Equal(got.Vertices, want.Vertices):
		return "vertices"
	case !slices.Equal(got.Edges, want.Edges):
		return "edges"
	case !slices.Equal(got.Parents, want.Parents):
		return "parents"
	case !slices.Equal(got.EndsFrom, want.EndsFrom), !slices.Equal(got.Ends, want.Ends):
		return "ends"
	}
	return ""
}

// same returns n rows of the same roots.
func same(n int, roots ...uint32) [][]uint32 {
	return slices.Repeat([][]uint32{roots}, n)
}

// byGroups has tunings for each group of threads.
var byGroups = []gpu.Tuning{{}, {Variant: 1}, {Variant: 3, LayeredCapacity: 3}}

// Steps have more transits, and more vertices, than fit the shared memory of a group, and repeat transits.
func TestLayersOfLargeSteps(t *testing.T) {
	share := deviceShare(t, 3)
	for _, steep := range []bool{false, true} {
		large, small := hub(2000, steep), hub(300, steep)
		defer large.Close()
		defer small.Close()
		for _, a := range []*apps.Layer{
			{StepSize: 1500, MaxSize: 2400, Unique: true},
			{StepSize: 1500, MaxSize: 2400},
			{StepSize: 140, MaxSize: 210, Unique: true, Bias: app.ByWeight},
			{StepSize: 140, MaxSize: 210, Bias: app.ByWeight},
			{StepSize: 140, MaxSize: 210, Unique: true, Bias: app.ByDegree},
		} {
			if g := large; share.Takes() {
				if a.Bias != app.Uniform {
					g = small
				}
				t.Run(fmt.Sprintf("steep %v, %+v", steep, a), func(t *testing.T) {
					layersEqual(t, a, g, [][]uint32{{0, 0}, {0, 5}, {7, 8}}, byGroups...)
				})
			}
		}
	}
}

// After the attempts for distinct vertices, scans choose the remaining ones: the row of a vertex has parallel edges, and all
// of its edges but a few lead to one vertex.
func TestLayersOfParallelEdges(t *testing.T) {
	var list []graphtest.Edge
	for i := range uint32(900) {
		list = append(list, graphtest.Edge{From: 0, To: 1, Bias: i}, graphtest.Edge{From: 1, To: 0, Bias: 5})
	}
	for v := range uint32(9) {
		list = append(list, graphtest.Edge{From: 0, To: v + 2, Bias: 1}, graphtest.Edge{From: v + 2, To: v, Bias: v})
	}
	g := graphtest.Make(12, true, list)
	defer g.Close()
	for _, bias := range []app.Bias{app.Uniform, app.ByWeight, app.ByDegree} {
		a := &apps.Layer{StepSize: 8, MaxSize: 30, Unique: true, Bias: bias}
		layersEqual(t, a, g, same(5, 0, 1, 0), byGroups...)
	}
}

// No transit has edges, and the graph has none.
func TestLayersWithoutEdges(t *testing.T) {
	for _, vertices := range []int{1, 6} {
		g := graphtest.Make(vertices, true, nil)
		defer g.Close()
		for _, a := range []app.App{
			&apps.Layer{StepSize: 3, MaxSize: 9, Unique: true}, &apps.Layer{StepSize: 3, MaxSize: 9, Bias: app.ByWeight},
			&apps.Neighbor{Fanouts: []int{2}, FrontierSize: 1}, &apps.Neighbor{Fanouts: []int{2}, FrontierSize: 1, Bias: app.ByDegree},
		} {
			layersEqual(t, a, g, same(40, 0, 0), byGroups...)
		}
	}
	none := graphtest.Make(0, true, nil)
	defer none.Close()
	layersEqual(t, &apps.MVS{Batch: 3, Fanouts: []int{2}}, none, make([][]uint32, 2), byGroups...)
}

// Fan-outs are for each size of group that makes a choice: a thread, a warp, and all threads.
func TestFrontiersOfLargeFanouts(t *testing.T) {
	share := deviceShare(t, 7)
	for _, steep := range []bool{false, true} {
		g := hub(6000, steep)
		defer g.Close()
		for _, fanouts := range [][]int{{16, 3}, {40, 2}, {4097, 1}, {7000, 1}} {
			for _, a := range []apps.Neighbor{{}, {Bias: app.ByWeight}, {Bias: app.ByDegree}, {Bias: app.ByWeight, Replace: true}, {Replace: true}} {
				if !share.Takes() {
					continue
				}
				a.Fanouts, a.FrontierSize = fanouts, 3
				t.Run(fmt.Sprintf("steep %v, %+v", steep, a), func(t *testing.T) {
					layersEqual(t, &a, g, [][]uint32{{0, 9}, {1, 2}}, byGroups...)
				})
			}
		}
	}
}

// Batches have more vertices than have a score, or nearly all of them.
func TestScoredBatches(t *testing.T) {
	g := hub(900, false)
	defer g.Close()
	scores := make([]float64, g.NumVertices())
	for v := range scores {
		scores[v] = float64(max(0, v%5-1)) * float64(1+v%97*v%97*v%97)
	}
	given, err := app.NewScores(scores)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{1, 500, 800, 901, 2000} {
		layersEqual(t, &apps.MVS{Batch: batch, Fanouts: []int{1}, Scores: given}, g, make([][]uint32, 2), byGroups...)
	}
	layersEqual(t, &apps.MVS{Batch: 30, Fanouts: []int{app.All, 17}}, g, make([][]uint32, 3), byGroups...)
}

// All samples share one transit, a hub. The emulated driver takes long for all biases of a hub of 10^6 edges.
func TestLayersAtHubs(t *testing.T) {
	share := deviceShare(t, 3)
	for _, a := range []*apps.Layer{
		{StepSize: 60, MaxSize: 150, Unique: true}, {StepSize: 60, MaxSize: 150},
		{StepSize: 20, MaxSize: 30, Unique: true, Bias: app.ByWeight}, {StepSize: 20, MaxSize: 30, Bias: app.ByWeight},
		{StepSize: 20, MaxSize: 30, Unique: true, Bias: app.ByDegree},
	} {
		if !share.Takes() {
			continue
		}
		edges := 1_000_000
		if a.Bias != app.Uniform && !cudatest.Real() {
			edges = 20_000
		}
		g := hub(edges, true)
		defer g.Close()
		layersEqual(t, a, g, same(9, 0), gpu.Tuning{}, gpu.Tuning{Variant: 1})
	}
}
