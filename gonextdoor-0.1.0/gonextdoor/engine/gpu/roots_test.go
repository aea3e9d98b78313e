package gpu_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Random roots that the GPU draws equal those of graph.FillRoots, for any division of the rows into launches, and into
// batches.
func TestDrawnRoots(t *testing.T) {
	d, g := device(t), graphtest.Thicket(true)
	for _, c := range []struct {
		app                  app.App
		count, width, repeat int
	}{
		{&apps.DeepWalk{Length: 5}, 300, 1, 1},
		{&apps.DeepWalk{Length: 5}, 100, 1, 3},
		{&apps.MultiIndependent{Length: 3}, 90, 3, 2},
		{&apps.DeepWalk{Length: 5}, 0, 1, 1},
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
		rows := b.Roots.Samples()
		var all [3][]uint32 // of roots that are given, of drawn ones, and of drawn ones in batches
		for i := range all {
			each := max(1, rows)
			if i > 0 {
				b.Roots.Vertices, b.Roots.Drawn = []uint32{}, true
			}
			if i == 2 {
				each = 41
			}
			all[i] = make([]uint32, rows*p.Width)
			e := gpu.Engine{Device: d, Tuning: gpu.Tuning{HostRows: 67}}
			for lo := 0; lo < rows; lo += each {
				hi := min(rows, lo+each)
				out := output.Matrix{Vertices: all[i][lo*p.Width : hi*p.Width], Width: p.Width, Roots: c.width}
				if err := e.Matrix(p, g, b.Slice(lo, hi), out, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(all[0], all[1]) || !slices.Equal(all[0], all[2]) {
			t.Errorf("%+v: samples of drawn roots differ", c)
		}
	}
}
