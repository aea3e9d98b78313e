package index

import (
	"math/rand/v2"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
)

// change adds edges to a graph at random and removes some, with their reverses if it is symmetric.
func change(t *testing.T, r *rand.Rand, g *graph.Graph, vertices int64, symmetric bool) *graph.Graph {
	t.Helper()
	n := 1 + r.IntN(60)
	src, dst := make([]int64, n), make([]int64, n)
	for i := range n {
		src[i], dst[i] = r.Int64N(vertices), r.Int64N(vertices)
	}
	var from, to []uint32
	taken := map[[2]uint32]bool{}
	for range r.IntN(60) {
		p := r.Uint64N(uint64(g.NumEdges()))
		u, v := g.Source(p), g.Indices[p]
		if taken[[2]uint32{u, v}] || u == v {
			continue
		}
		taken[[2]uint32{u, v}] = true
		from, to = append(from, u), append(to, v)
		if symmetric {
			taken[[2]uint32{v, u}] = true
		}
	}
	later, err := build.Updated(build.Update{
		Graph: g, Add: build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Symmetric: symmetric},
		RemoveSources: graph.ArrayOf(from), RemoveTargets: graph.ArrayOf(to), Symmetric: symmetric, Threads: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return later
}

// TestUpdateEdgeSetEqualsSearch looks up all pairs in the sets of sequences of versions, which are copies if they fit.
func TestUpdateEdgeSetEqualsSearch(t *testing.T) {
	live := offheap.Live()
	r := rand.New(rand.NewPCG(11, 12))
	copies := 0
	for trial := range 16 {
		symmetric := trial%2 == 0
		g := graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 8, Symmetric: symmetric, Seed: uint64(trial)})
		if _, err := EdgeSetOf(g, g.NumEdges(), graph.Options{}); err != nil {
			t.Fatal(err)
		}
		for step := range 12 {
			later := change(t, r, g, int64(g.NumVertices()), symmetric && step < 9)
			if err := UpdateEdgeSet(later, g, graph.Options{Threads: 2}); err != nil {
				t.Fatal(err)
			}
			if edgeSetKey.Has(later) {
				copies++
			}
			s, err := EdgeSetOf(later, later.NumEdges(), graph.Options{})
			if err != nil || len(s.Slots) == 0 {
				t.Fatalf("no set, %v", err)
			}
			for u := range uint32(later.NumVertices()) {
				for v := range uint32(later.NumVertices()) {
					if got, want := s.Has(u, v), later.HasEdge(u, v); got != want {
						t.Fatalf("trial %d, step %d: Has(%d, %d) = %v, expected %v", trial, step, u, v, got, want)
					}
				}
			}
			g.Close()
			g = later
		}
		g.Close()
	}
	if copies < 120 {
		t.Errorf("%d of 192 sets are copies", copies)
	}
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays live, %d before", n, live)
	}
}

// TestUpdateEdgeSetBuildsOthersAnew makes versions that a set does not serve.
func TestUpdateEdgeSetBuildsOthersAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	g := graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 4, Symmetric: true})
	defer g.Close()
	check := func(name string, later *graph.Graph, want bool) {
		t.Helper()
		defer later.Close()
		if err := UpdateEdgeSet(later, g, graph.Options{}); err != nil || edgeSetKey.Has(later) != want {
			t.Errorf("%s: a copy: %v, error %v", name, edgeSetKey.Has(later), err)
		}
	}
	check("no set before", change(t, r, g, 128, true), false)
	if _, err := EdgeSetOf(g, g.NumEdges(), graph.Options{}); err != nil {
		t.Fatal(err)
	}
	check("as before", change(t, r, g, 128, true), true)
	check("not symmetric", change(t, r, g, 128, false), false)
	check("more bits of a vertex", change(t, r, g, 300, true), false)
	n := 4 * g.NumEdges()
	src, dst := make([]int64, n), make([]int64, n)
	for i := range n {
		src[i], dst[i] = r.Int64N(128), r.Int64N(128)
	}
	many, err := build.Updated(build.Update{
		Graph: g, Add: build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Symmetric: true}, Symmetric: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	check("many more edges", many, false)
}
