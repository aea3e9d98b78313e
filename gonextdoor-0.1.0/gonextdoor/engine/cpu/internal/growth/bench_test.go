//go:build cgo

package growth_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// BenchmarkGrowth reports millions of steps per second of users' apps and of the built-in walk, on one thread.
func BenchmarkGrowth(b *testing.B) {
	g, err := build.RMAT{Scale: 19, EdgeFactor: 16, Low: 1, High: 5, Symmetric: true, Seed: 1}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	k := hooktest.Kernels()
	next := func(c *program.Ctx) uint32 {
		n := c.Graph.Degree(c.Transit)
		if n == 0 {
			return graph.None
		}
		return c.Graph.Neighbors(c.Transit)[c.Below(0, n)]
	}
	params := []uint64{3, 2, 1, 1}
	for _, c := range []struct {
		name string
		app  app.App
	}{
		{"built-in", &apps.DeepWalk{Length: 40, Weighted: app.No}},
		{"static", &program.Custom{StepProgram: program.StepProgram{Steps: 40, Weighted: app.No}}},
		{"weighted", &program.Custom{StepProgram: program.StepProgram{Steps: 40}}},
		{"next", &program.Custom{StepProgram: program.StepProgram{Steps: 40}, Kernels: hook.Kernels{Next: k.Next}}},
		{"next in Go", &program.Custom{StepProgram: program.StepProgram{Steps: 40, Next: next}}},
		{"bound", &program.Custom{StepProgram: program.StepProgram{Steps: 4}, Kernels: hook.Kernels{EdgeBias: k.EdgeBias, RowBias: k.RowBias, Bound: k.Bound}, Params: params}},
	} {
		p, err := plan.New(c.app, g, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) { benchmark(b, p, g) })
	}
}

// benchmark samples one walk per root of a part of the graph.
func benchmark(b *testing.B, p plan.Plan, g *graph.Graph) {
	const samples = 1 << 16
	out := output.Matrix{Vertices: make([]uint32, samples*p.Width), Width: p.Width, Roots: 1}
	batch := plan.Batch{Roots: plan.Roots{Count: samples, Width: 1, Repeat: 1}, Threads: 1}
	run := func() {
		if err := (cpu.Engine{}).Matrix(p, g, batch, out, nil); err != nil {
			b.Fatal(err)
		}
	}
	run() // builds the graph's tables
	for b.Loop() {
		batch.Seed++
		run()
	}
	b.ReportMetric(float64(batch.Seed)*samples*float64(p.Width-1)/b.Elapsed().Seconds()/1e6, "Msteps/s")
}
