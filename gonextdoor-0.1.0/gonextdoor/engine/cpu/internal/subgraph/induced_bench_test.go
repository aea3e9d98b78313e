package subgraph_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// BenchmarkSubgraph samples one subgraph per call, as GNN training does, and reports the number of links.
func BenchmarkSubgraph(b *testing.B) {
	g, err := build.RMAT{Scale: 18, EdgeFactor: 12, Symmetric: true}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for name, a := range map[string]app.App{
		"walk":     &apps.GraphSAINT{Method: app.WalkMethod, Roots: 3000, Length: 2},
		"clusters": &apps.ClusterGCN{Clusters: &app.Clusters{Count: 1500}, PerSample: 20},
	} {
		p, err := plan.New(a, g, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			links := 0
			for i := range b.N {
				batch := plan.Batch{Roots: plan.Roots{Vertices: []uint32{}, Count: 1, Repeat: 1}, First: uint64(i), Threads: 1}
				l, err := cpu.Engine{}.Layers(p, g, batch, new(job.Job))
				if err != nil {
					b.Fatal(err)
				}
				links += len(l.Sources)
				l.Return()
			}
			b.ReportMetric(float64(links)/float64(b.N), "links/op")
		})
	}
}
