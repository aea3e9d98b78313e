package index

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
)

// perEdge reports the time per edge of a graph.
func perEdge(b *testing.B, g *graph.Graph) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.NumEdges()), "ns/edge")
}

func BenchmarkBuildAlias(b *testing.B) {
	g := graphtest.RMAT(b, build.RMAT{Scale: 18, EdgeFactor: 16, Symmetric: true, Low: 1, High: 5})
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			for b.Loop() {
				slots, err := makeAlias(g, nil, graph.Options{Threads: threads})
				if err != nil {
					b.Fatal(err)
				}
				offheap.Free(slots)
			}
			perEdge(b, g)
		})
	}
}

func BenchmarkSymmetric(b *testing.B) {
	g := graphtest.RMAT(b, build.RMAT{Scale: 18, EdgeFactor: 16, Symmetric: true})
	for b.Loop() {
		if ok, err := mirroredEverywhere(g, graph.Options{}); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	perEdge(b, g)
}
