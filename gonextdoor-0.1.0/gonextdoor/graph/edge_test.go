package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

func TestHasEdgeEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for range 100 {
		n := 1 + r.IntN(80)
		src, dst := make([]int32, r.IntN(600)), make([]int32, 0, 600)
		for i := range src {
			src[i], dst = int32(r.IntN(n)), append(dst, int32(r.IntN(n)))
		}
		g := graphtest.Built(t, build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: build.Unknown})
		for u := range uint32(g.NumVertices()) {
			for v := range uint32(g.NumVertices() + 2) {
				if g.HasEdge(u, v) != slices.Contains(g.Neighbors(u), v) {
					t.Fatalf("edge %d->%d in row %v: %v", u, v, g.Neighbors(u), g.HasEdge(u, v))
				}
			}
			if g.HasEdge(u, graph.None) {
				t.Fatal("an edge to None")
			}
		}
		g.Close()
	}
}

// BenchmarkHasEdge looks up pairs of end points of edges. As in walks, most of them have long rows.
func BenchmarkHasEdge(b *testing.B) {
	g := graphtest.RMAT(b, build.RMAT{Scale: 18, EdgeFactor: 16, Symmetric: true})
	key := rng.NewStream(1, rng.Choices).Key(0)
	var ends [1 << 16]uint32
	for i := range ends {
		p, _ := rng.Below(key.Word(uint64(i)), uint64(g.NumEdges()))
		ends[i] = g.Indices[p]
	}
	found, i := 0, 0
	for b.Loop() {
		if g.HasEdge(ends[i&0xffff], ends[(i+1)&0xffff]) {
			found++
		}
		i++
	}
}
