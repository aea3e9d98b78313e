package owner

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// naive is LDG by its formula, with floating-point products that are exact for small graphs.
func naive(g *graph.Graph, parts int) []int {
	n := g.NumVertices()
	capacity := uint64(n+g.NumEdges())/uint64(parts)*11/10 + 1
	owners, sizes := make([]int, n), make([]uint64, parts)
	for v := range n {
		near := make([]uint64, parts)
		for _, u := range g.Neighbors(uint32(v)) {
			if int(u) < v {
				near[owners[u]]++
			}
		}
		size := 1 + g.Degree(uint32(v))
		best, score := -1, 0.0
		for i := range parts {
			if x := float64(near[i]) * (float64(capacity) - float64(sizes[i])); near[i] > 0 && sizes[i]+size <= capacity && x > score {
				best, score = i, x
			}
		}
		if best < 0 {
			best = 0
			for i := range parts {
				if sizes[i] < sizes[best] {
					best = i
				}
			}
		}
		owners[v] = best
		sizes[best] += size
	}
	return owners
}

func TestLDGIsItsFormula(t *testing.T) {
	for seed := range uint64(4) {
		g := graphtest.RMAT(t, build.RMAT{Scale: 8, EdgeFactor: 5, Symmetric: seed%2 == 0, Seed: seed})
		for _, parts := range []int{1, 2, 3, 5, 8, 300} {
			m, err := LDG(g, parts, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, m, g.NumVertices())
			want := naive(g, parts)
			for v := range want {
				if m.Owner(uint32(v)) != want[v] {
					t.Fatalf("seed %d, %d parts: vertex %d is in part %d, expected %d", seed, parts, v, m.Owner(uint32(v)), want[v])
				}
			}
		}
	}
}

// Two cliques that one edge joins are two parts, whichever vertices they have.
func TestLDGKeepsNeighborsTogether(t *testing.T) {
	var src, dst []int32
	for u := range int32(40) {
		for v := range int32(40) {
			if u != v && u%2 == v%2 {
				src, dst = append(src, u), append(dst, v)
			}
		}
	}
	g := graphtest.Built(t, build.Edges{Sources: graph.ArrayOf(append(src, 38, 39)), Targets: graph.ArrayOf(append(dst, 39, 38)), NumVertices: 40})
	m, err := LDG(g, 2, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for u := range uint32(40) {
		for _, v := range g.Neighbors(u) {
			if m.Owner(u) != m.Owner(v) {
				cut++
			}
		}
	}
	if cut != 2 {
		t.Errorf("%d edges are cut, expected 2: %v", cut, m.Narrow)
	}
}

// No part of LDG is larger than its capacity, unless one row is.
func TestLDGIsBalanced(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 12, EdgeFactor: 8, Symmetric: true})
	m, err := LDG(g, 4, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean := (g.NumVertices() + g.NumEdges()) / 4
	for part := range 4 {
		size := 0
		for _, v := range m.Vertices(part) {
			size += 1 + int(g.Degree(v))
		}
		if size > mean*11/10+1 {
			t.Errorf("part %d has size %d, the mean is %d", part, size, mean)
		}
	}
}

func TestLDGIsInterrupted(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 5, EdgeFactor: 4})
	if m, err := LDG(g, 2, graph.Options{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) || m != nil {
		t.Error(m, err)
	}
}
