package index

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func TestPackedRecords(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 12, EdgeFactor: 3, Seed: 8})
	p, err := PackedOf(g)
	if err != nil || !CanPack(g) || !g.HasSinks() {
		t.Fatal(err)
	}
	sentinel := uint64(g.NumEdges())<<PackedDegreeBits | 1
	if p.Of(graph.None) != sentinel {
		t.Errorf("record of None: %x", p.Of(graph.None))
	}
	for u := range uint32(g.NumVertices()) {
		want := g.Indptr[u]<<PackedDegreeBits | g.Degree(u)
		if g.Degree(u) == 0 {
			want = sentinel
		}
		if p.Of(u) != want {
			t.Fatalf("record of %d: %x, expected %x", u, p.Of(u), want)
		}
	}
	if again, _ := PackedOf(g); again.Base() != p.Base() {
		t.Error("made twice")
	}
}
