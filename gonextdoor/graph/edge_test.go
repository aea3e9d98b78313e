package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

func TestHasEdgeEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for range 100 {
		n := 1 + r.IntN(80)
		g, err := FromEdges(edgesOf(t, randomArcs(r, n, r.IntN(600)), "int32", "int32", "int32"))
		if err != nil {
			t.Fatal(err)
		}
		for u := range uint32(g.NumVertices()) {
			for v := range uint32(g.NumVertices() + 2) {
				if g.HasEdge(u, v) != slices.Contains(g.Neighbors(u), v) {
					t.Fatalf("edge %d->%d in row %v: %v", u, v, g.Neighbors(u), g.HasEdge(u, v))
				}
			}
			if g.HasEdge(u, None) {
				t.Fatal("an edge to None")
			}
		}
		g.Close()
	}
}

func TestPackedRecords(t *testing.T) {
	g := rmatGraph(t, RMAT{Scale: 12, EdgeFactor: 3, Seed: 8})
	p, err := g.Packed()
	if err != nil || !g.CanPack() || !g.HasSinks() {
		t.Fatal(err)
	}
	sentinel := uint64(g.NumEdges())<<PackedDegreeBits | 1
	if p.Of(None) != sentinel {
		t.Errorf("record of None: %x", p.Of(None))
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
	if again, _ := g.Packed(); again.Base() != p.Base() {
		t.Error("made twice")
	}
}

func TestDrawRoots(t *testing.T) {
	g := rmatGraph(t, RMAT{Scale: 10, EdgeFactor: 1})
	roots, err := g.DrawRoots(5, 100, 3, 200_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range roots {
		if want, _ := rng.Below(rng.NewStream(5, rng.Roots).Key(100+3*uint64(j)).Word(0), 1024); uint64(v) != want {
			t.Fatalf("root %d is %d, expected %d", j, v, want)
		}
	}
	if tail, _ := g.DrawRoots(5, 100+3*1000, 3, 500, 1); !slices.Equal(tail, roots[1000:1500]) {
		t.Error("a run that is split has other roots")
	}
	pools, err := g.DrawRoots(5, 100, 3, 3, edgeChunk-1)
	for at, v := range pools {
		key := rng.NewStream(5, rng.Roots).Key(100 + 3*uint64(at/(edgeChunk-1)))
		if want, _ := rng.Below(key.Word(uint64(at%(edgeChunk-1))), 1024); err != nil || uint64(v) != want {
			t.Fatalf("root %d of wide samples is %d, expected %d (%v)", at, v, want, err)
		}
	}
	if err := g.FillRoots(pools, 5, 100, 3, edgeChunk-1, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("a stopped job: %v", err)
	}
	empty, err := FromEdges(Edges{Sources: ints(), Targets: ints(), NumVertices: 0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.DrawRoots(0, 0, 1, 3, 1); refuse.KindOf(err) != refuse.KindValue || err.Error() != "roots = 3: the graph has no vertices to draw from" {
		t.Error(err)
	}
	if r, err := empty.DrawRoots(0, 0, 1, 0, 1); err != nil || len(r) != 0 {
		t.Error(r, err)
	}
	if _, err := g.DrawRoots(0, 0, 0, 3, 1); refuse.KindOf(err) != refuse.KindValue {
		t.Error(err)
	}
}
