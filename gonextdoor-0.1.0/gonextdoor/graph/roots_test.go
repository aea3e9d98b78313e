package graph_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

func TestDrawRoots(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 10, EdgeFactor: 1})
	roots, err := graph.DrawRoots(g, 5, 100, 3, 200_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range roots {
		if want, _ := rng.Below(rng.NewStream(5, rng.Roots).Key(100+3*uint64(j)).Word(0), 1024); uint64(v) != want {
			t.Fatalf("root %d is %d, expected %d", j, v, want)
		}
	}
	if tail, _ := graph.DrawRoots(g, 5, 100+3*1000, 3, 500, 1); !slices.Equal(tail, roots[1000:1500]) {
		t.Error("a run that is split has other roots")
	}
	pools, err := graph.DrawRoots(g, 5, 100, 3, 3, graph.EdgeChunk-1)
	for at, v := range pools {
		key := rng.NewStream(5, rng.Roots).Key(100 + 3*uint64(at/(graph.EdgeChunk-1)))
		if want, _ := rng.Below(key.Word(uint64(at%(graph.EdgeChunk-1))), 1024); err != nil || uint64(v) != want {
			t.Fatalf("root %d of wide samples is %d, expected %d (%v)", at, v, want, err)
		}
	}
	if err := graph.FillRoots(g, pools, 5, 100, 3, graph.EdgeChunk-1, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("a stopped job: %v", err)
	}
	empty, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf([]int64{}), Targets: graph.ArrayOf([]int64{}), NumVertices: 0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := graph.DrawRoots(empty, 0, 0, 1, 3, 1); refuse.KindOf(err) != refuse.KindValue || err.Error() != "roots = 3: the graph has no vertices to draw from" {
		t.Error(err)
	}
	if r, err := graph.DrawRoots(empty, 0, 0, 1, 0, 1); err != nil || len(r) != 0 {
		t.Error(r, err)
	}
	if _, err := graph.DrawRoots(g, 0, 0, 0, 3, 1); refuse.KindOf(err) != refuse.KindValue {
		t.Error(err)
	}
}
