package neighbor

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
)

func BenchmarkBatches(b *testing.B) {
	g := cputest.BenchGraph(b)
	m := bound(b, g, app.NeighborSampling{Fanouts: each(15, 10, 5)})
	for _, size := range []int{1, 32, 1024} {
		batches := make([][]uint32, 16)
		for i := range batches {
			batches[i] = cputest.SomeVertices(g, size, uint64(i))
		}
		for _, dense := range []bool{true, false} {
			b.Run(fmt.Sprintf("batch=%d/dense=%v", size, dense), func(b *testing.B) {
				p := samplerOf(b, g, true, dense)
				defer p.Close()
				edges := 0
				for i := 0; b.Loop(); i++ {
					out, err := p.Sample(m, uint64(i), seedsOf(batches[i%16], nil), 1, nil)
					if err != nil {
						b.Fatal(err)
					}
					edges += edgesOf(out)
					out.Return()
				}
				cputest.PerSecond(b, edges)
			})
		}
		if size == 1024 {
			b.Run("batch=1024/definition", func(b *testing.B) {
				h, edges := graph.Homogeneous(g), 0
				for i := 0; b.Loop(); i++ {
					for _, hop := range m.Sample(h, uint64(i), seedsOf(batches[i%16], nil)).Hops {
						edges += len(hop[0].Indices)
					}
				}
				cputest.PerSecond(b, edges)
			})
		}
	}
}

func edgesOf(out output.NeighborBatch) (edges int) {
	for _, h := range out.Hops {
		edges += len(h[0].Indices)
	}
	return edges
}
