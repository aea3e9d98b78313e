package gpu_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Random roots that the GPU draws equal those of graph.FillRoots, for any division of the rows into launches.
func TestDrawnRoots(t *testing.T) {
	d, g := device(t), graphtest.Thicket(true)
	for _, c := range []struct {
		app                  app.App
		count, width, repeat int
	}{
		{&app.DeepWalk{Length: 5}, 300, 1, 1},
		{&app.DeepWalk{Length: 5}, 100, 1, 3},
		{&app.MultiIndependent{Length: 3}, 90, 3, 2},
		{&app.DeepWalk{Length: 5}, 0, 1, 1},
	} {
		const first = 1<<40 + 5
		roots, err := graph.DrawRoots(g, 7, first, c.repeat, c.count, c.width)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(c.app, g, c.width)
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Batch{Seed: 7, First: first, Roots: plan.Roots{Vertices: roots, Count: c.count, Width: c.width, Repeat: c.repeat}}
		var all [2][]uint32
		for i := range all {
			if i == 1 {
				b.Roots.Vertices, b.Roots.Drawn = []uint32{}, true
			}
			all[i] = make([]uint32, b.Roots.Samples()*p.Width)
			e := gpu.Engine{Device: d, Tuning: gpu.Tuning{HostRows: 67}}
			if err := e.Matrix(p, g, b, output.Matrix{Vertices: all[i], Width: p.Width, Roots: c.width}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%+v: samples of drawn roots differ", c)
		}
	}
}
