package partition_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/partition"
)

// BenchmarkBatches draws mini-batches of 1,024 seed nodes with the fan-outs 15, 10, 5 from four parts by a hash.
func BenchmarkBatches(b *testing.B) {
	g, err := build.RMAT{Scale: 16, EdgeFactor: 16, A: 0.57, B: 0.19, C: 0.19, Symmetric: true, Seed: 1}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	parts, err := partition.Split(g, ownersOf(g.NumVertices(), 4)["hash"], nil, graph.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := &app.NeighborSampling{Fanouts: [][]int{{15}, {10}, {5}}, Expand: app.ExpandNew, Layout: app.COO}
	seeds := app.SeedNodes{Vertices: [][]uint32{nil}}
	for v := range uint32(1024) {
		seeds.Vertices[0] = append(seeds.Vertices[0], v*61%65536)
	}
	edges := 0
	for i := range b.N {
		all, err := drawBatches(alone(parts), 0, m, []uint64{uint64(i)}, []app.SeedNodes{seeds}, nil)
		if err != nil {
			b.Fatal(err)
		}
		edges += len(all[0].Pairs[0].Sources)
		all[0].Return()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/edge")
	for _, p := range parts {
		p.Close()
	}
}
