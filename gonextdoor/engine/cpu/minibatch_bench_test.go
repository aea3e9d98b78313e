package cpu

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// benchGraph is R-MAT of 2^20 vertices and 2^25 edges; -short: 2^14 and 2^19.
func benchGraph(b *testing.B) *graph.Graph {
	b.Helper()
	r := build.RMAT{Scale: 20, EdgeFactor: 16, Symmetric: true}
	if testing.Short() {
		r.Scale = 14
	}
	g, err := r.Graph()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Close)
	return g
}

// someVertices gives n different ones.
func someVertices(g *graph.Graph, n int, seed uint64) (batch []uint32) {
	seen := map[uint32]bool{}
	for i := uint64(0); len(batch) < n; i++ {
		v, _ := rng.Below(rng.Key(seed).Word(i), uint64(g.NumVertices()))
		if u := uint32(v); !seen[u] {
			seen[u] = true
			batch = append(batch, u)
		}
	}
	return batch
}

func perSecond(b *testing.B, edges int) {
	b.ReportMetric(float64(edges)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

func BenchmarkBlocks(b *testing.B) {
	g := benchGraph(b)
	m := bound(b, g, app.MiniBatch{Fanouts: each(15, 10, 5)})
	for _, size := range []int{1, 32, 1024} {
		batches := make([][]uint32, 16)
		for i := range batches {
			batches[i] = someVertices(g, size, uint64(i))
		}
		for _, dense := range []bool{true, false} {
			b.Run(fmt.Sprintf("batch=%d/dense=%v", size, dense), func(b *testing.B) {
				p := pool(b, g, true, dense)
				defer p.Close()
				edges := 0
				for i := 0; b.Loop(); i++ {
					out, err := p.Blocks(m, uint64(i), seedsOf(batches[i%16], nil), nil)
					if err != nil {
						b.Fatal(err)
					}
					edges += edgesOf(out)
					out.Return()
				}
				perSecond(b, edges)
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
				perSecond(b, edges)
			})
		}
	}
}

func edgesOf(out output.Blocks) (edges int) {
	for _, h := range out.Hops {
		edges += len(h[0].Indices)
	}
	return edges
}

func BenchmarkTree(b *testing.B) {
	g := benchGraph(b)
	for _, fanouts := range [][]int{{25, 10}, {15, 10, 5}} {
		p := treePlan(b, g, app.KHop{Fanouts: fanouts}, true)
		batch := plan.Batch{Roots: plan.Roots{Vertices: someVertices(g, 4096, 1), Count: 4096, Width: 1, Repeat: 1}, Threads: 1}
		out := matrix(p.App, batch)
		b.Run(fmt.Sprint(fanouts), func(b *testing.B) {
			for b.Loop() {
				if err := tree(p, g, batch, out, nil); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, b.N*len(out.Vertices))
		})
		b.Run(fmt.Sprint(fanouts, "/definition"), func(b *testing.B) {
			for b.Loop() {
				definition(g, p.App, batch)
			}
			perSecond(b, b.N*len(out.Vertices))
		})
	}
}
