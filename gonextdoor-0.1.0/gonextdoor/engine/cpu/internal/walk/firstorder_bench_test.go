package walk_test

import (
	"fmt"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// walkGraph returns an R-MAT graph of half a million vertices and 16 million edges, far larger than the caches.
var walkGraph = sync.OnceValues(func() (*graph.Graph, error) {
	return build.RMAT{Scale: 19, EdgeFactor: 16, Low: 1, High: 5, Symmetric: true, Seed: 1}.Graph()
})

// BenchmarkWalks reports millions of steps per second, with and without assembly, on 1 and 2 threads.
func BenchmarkWalks(b *testing.B) {
	g, err := walkGraph()
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range []app.App{
		&apps.DeepWalk{Length: 80, Weighted: app.No}, &apps.DeepWalk{Length: 80},
		&apps.PPR{Stop: 0.2, Weighted: app.No}, &apps.PPR{Stop: 0.2},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 80, Weighted: app.No}, &apps.Node2Vec{P: 2, Q: 0.5, Length: 80},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			for _, pure := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s-%s/threads=%d/pure=%v", a.Name(), p.Selector, threads, pure), func(b *testing.B) {
					benchWalk(b, cpu.Engine{Pure: pure}, p, g, threads)
				})
			}
		}
	}
}

func benchWalk(b *testing.B, e cpu.Engine, p plan.Plan, g *graph.Graph, threads int) {
	const samples = 1 << 16
	out := output.Matrix{Vertices: make([]uint32, samples*p.Width), Width: p.Width, Roots: 1}
	steps := 0                            // of the timed calls
	for i := -1; i < 0 || b.Loop(); i++ { // the first call builds the tables of the graph
		batch := plan.Batch{
			Roots: plan.Roots{Count: samples, Width: 1, Repeat: 1}, Seed: uint64(i + 1), Threads: threads,
		}
		if p.Width > 0 {
			if err := e.Matrix(p, g, batch, out, nil); err != nil {
				b.Fatal(err)
			}
			steps += samples * (p.Width - 1) * min(i+1, 1)
			continue
		}
		r, err := e.Ragged(p, g, batch, nil)
		if err != nil {
			b.Fatal(err)
		}
		steps += (len(r.Vertices) - samples) * min(i+1, 1)
		r.Return()
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
	b.ReportMetric(0, "ns/op")
}
