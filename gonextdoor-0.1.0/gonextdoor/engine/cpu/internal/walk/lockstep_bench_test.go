package walk_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// BenchmarkMoves reports millions of steps per second on one thread, for walks whose steps are more than one choice. A sample
// of MultiDimensionalWalk starts with a pool of 100 random vertices.
func BenchmarkMoves(b *testing.B) {
	g, err := walkGraph()
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range []app.App{
		&apps.DeepWalk{Length: 80, Weighted: app.No}, &apps.Walk{Bias: app.ByDegree, Length: 80},
		&apps.MetropolisHastings{Length: 80},
		&apps.Jump{Teleport: apps.Teleport{Length: 80, Probability: 0.15, Weighted: app.No}},
		&apps.Jump{Teleport: apps.Teleport{Length: 80, Probability: 0.15}},
		&apps.Restart{Teleport: apps.Teleport{Length: 80, Probability: 0.15, Weighted: app.No}},
		&apps.MultiIndependent{Length: 80, Weighted: app.No},
		&apps.DeepWalk{Length: 80, Weighted: app.Computed}, &apps.Node2Vec{P: 2, Q: 0.5, Length: 80, Weighted: app.Computed},
		&apps.PPR{Stop: 0.2, Weighted: app.Computed}, &apps.Walk{Bias: app.ByDegree, Length: 80, Computed: true},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(a.Name()+"-"+p.Selector, func(b *testing.B) { benchWalk(b, cpu.Engine{}, p, p.Graph, 1) })
	}
	b.Run("MultiDimensionalWalk", func(b *testing.B) {
		const samples, pool, length = 1 << 12, 100, 800
		p, err := plan.New(&apps.MultiDimensionalWalk{Length: length, Dimension: pool}, g, pool)
		if err != nil {
			b.Fatal(err)
		}
		roots := plan.Roots{Count: samples, Width: pool, Repeat: 1}
		for i := range samples * pool {
			roots.Vertices = append(roots.Vertices, uint32(i*7919%g.NumVertices()))
		}
		out := output.Matrix{Vertices: make([]uint32, samples*p.Width), Width: p.Width, Roots: pool}
		for b.Loop() {
			if err := (cpu.Engine{}).Matrix(p, g, plan.Batch{Roots: roots, Threads: 1}, out, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*samples*length)/b.Elapsed().Seconds()/1e6, "Msteps/s")
		b.ReportMetric(0, "ns/op")
	})
}
