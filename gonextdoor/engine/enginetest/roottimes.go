package enginetest

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// RootTimes compares walks with a start and an end per root with the definition of walks that have one of each, for all biases
// and parts of a batch.
func RootTimes(t *testing.T, e engine.Engine) {
	t.Helper()
	g := graphtest.Timed(graphtest.Diamond(false))
	defer g.Close()
	const roots, seed = 70, 3
	starts, ends, vertices := make([]int64, roots), make([]int64, roots), make([]uint32, roots)
	for j := range roots {
		starts[j], ends[j], vertices[j] = int64(j%5)-2, int64(j%7)+1, uint32(j%g.NumVertices())
	}
	every := plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 2}
	some := plan.Roots{Vertices: vertices, Count: roots, Width: 1, Repeat: 3}
	for bias := app.UniformInTime; bias <= app.ExponentialInTime; bias++ {
		for _, direction := range []apps.Direction{apps.Forward, apps.Backward} {
			for _, r := range []plan.Roots{every, some} {
				of := func(start, end app.RootTimes) *apps.TemporalWalk {
					if direction == apps.Backward {
						start, end = end, start
					}
					return &apps.TemporalWalk{Length: 5, Bias: bias, Direction: direction, Start: start, End: end}
				}
				checkRootTimes(t, e, g, plan.Batch{Roots: r, Seed: seed, First: 40, Threads: 2, Edges: true}, of(
					app.RootTimes{Each: starts[:r.Count]}, app.RootTimes{Each: ends[:r.Count]},
				), func(root int) app.App { return of(app.AllAt(starts[root]), app.AllAt(ends[root])) })
			}
		}
	}
}

// checkRootTimes compares the samples of an app, in pieces of a batch, with those of an app per root.
func checkRootTimes(t *testing.T, e engine.Engine, g *graph.Graph, b plan.Batch, a app.App, of func(root int) app.App) {
	t.Helper()
	p, err := plan.New(a, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, stream := b.Roots.Samples(), rng.NewStream(b.Seed, rng.Choices)
	for _, cut := range []int{0, 1, rows / 2} {
		piece := b.Slice(cut, rows)
		samples, err := run(e, p, p.Graph, piece, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range samples {
			root := (cut + i) / b.Roots.Repeat
			bound, err := of(root).Bind(g)
			if err != nil {
				t.Fatal(err)
			}
			want := bound.Sample(g, stream.Key(piece.First+uint64(i)), piece.Roots.Of(i, make([]uint32, 1)), app.Row{})
			ids := make([]int64, len(want.Edges))
			for k, position := range want.Edges {
				if ids[k] = -1; position != graph.NoEdge {
					ids[k] = int64(g.EdgeID(position))
				}
			}
			if !slices.Equal(s.vertices, want.Vertices) || !slices.Equal(s.edges, ids) {
				t.Fatalf("%+v, row %d from %d on: %v with edges %v, expected %v with %v", a, i, cut, s.vertices, s.edges, want.Vertices, ids)
			}
		}
	}
}
