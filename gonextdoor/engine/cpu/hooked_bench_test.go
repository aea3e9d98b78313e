//go:build cgo

package cpu

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/plan"
)

// BenchmarkHooked gives millions of steps a second of users' apps, beside the built-in walk, on one thread.
func BenchmarkHooked(b *testing.B) {
	g, err := walkGraph()
	if err != nil {
		b.Fatal(err)
	}
	k := hooktest.Kernels()
	next := func(c *app.Ctx) uint32 {
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
		{"built-in", &app.DeepWalk{Length: 40, Weighted: app.No}},
		{"static", &app.Custom{StepProgram: app.StepProgram{Steps: 40, Weighted: app.No}}},
		{"weighted", &app.Custom{StepProgram: app.StepProgram{Steps: 40}}},
		{"next", &app.Custom{StepProgram: app.StepProgram{Steps: 40}, Kernels: hook.Kernels{Next: k.Next}}},
		{"next in Go", &app.Custom{StepProgram: app.StepProgram{Steps: 40, Next: next}}},
		{"bound", &app.Custom{StepProgram: app.StepProgram{Steps: 4}, Kernels: hook.Kernels{EdgeBias: k.EdgeBias, RowBias: k.RowBias, Bound: k.Bound}, Params: params}},
	} {
		p, err := plan.New(c.app, g, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) { benchWalk(b, Engine{}, p, g, 1) })
	}
}
