package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// BenchmarkMiniBatches measures complete calls whose results stay in GPU memory. The graph is smaller on the emulated driver.
func BenchmarkMiniBatches(b *testing.B) {
	d := device(b)
	scale := 10
	if cudatest.Real() {
		scale = 21
	}
	g, err := build.RMAT{Scale: scale, EdgeFactor: 16, Seed: 1}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	n := gpu.NewNeighborSampler(gpu.Engine{Device: d}, graph.Homogeneous(g))
	for _, method := range []app.Method{app.MethodNeighbor, app.MethodLabor, app.MethodLaborPoisson} {
		m := &app.NeighborSampling{Fanouts: [][]int{{15}, {10}, {5}}, Weighted: app.No, Method: method}
		b.Run(string(method), func(b *testing.B) { benchmarkMiniBatches(b, g, n, m) })
	}
}

func benchmarkMiniBatches(b *testing.B, g *graph.Graph, n *gpu.NeighborSampler, m *app.NeighborSampling) {
	for _, count := range []int{1, 32, 256} {
		batches := make([]gpu.Batch, count)
		for i := range batches {
			seeds := make([]uint32, min(1024, g.NumVertices()/2))
			for k := range seeds {
				seeds[k] = uint32((k*4001 + i*77) % g.NumVertices())
			}
			batches[i].SeedNodes.Vertices = [][]uint32{seeds}
		}
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for i := range b.N {
				for k := range batches {
					batches[k].Seed = uint64(i*count + k)
				}
				result, err := n.Draw(m, batches, nil)
				if err == nil {
					err = result.Free()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
