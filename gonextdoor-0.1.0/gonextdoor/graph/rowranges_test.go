package graph_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func TestRowRanges(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 12, EdgeFactor: 8})
	for n := 1; n <= 9; n++ {
		bounds := g.RowRanges(n)
		if len(bounds) != n+1 || bounds[0] != 0 || bounds[n] != g.NumVertices() || !slices.IsSorted(bounds) {
			t.Fatalf("%d ranges: bounds %v", n, bounds)
		}
		for i := range n {
			edges := int(g.Indptr[bounds[i+1]] - g.Indptr[bounds[i]])
			if difference := edges - g.NumEdges()/n; difference > int(g.MaxDegree()) || -difference > int(g.MaxDegree())+n {
				t.Errorf("range %d of %d has %d of %d edges", i, n, edges, g.NumEdges())
			}
		}
	}
}

func TestRowRangesOfUnusualGraphs(t *testing.T) {
	hub := &graph.Graph{Indptr: []uint64{0, 1, 9, 10}, Indices: make([]uint32, 10)} // row 1 has more than half of the edges
	for _, c := range []struct {
		name  string
		graph *graph.Graph
		n     int
		want  []int
	}{
		{"a hub", hub, 4, []int{0, 1, 1, 1, 3}},
		{"no vertices", &graph.Graph{Indptr: []uint64{0}}, 2, []int{0, 0, 0}},
		{"no edges", &graph.Graph{Indptr: []uint64{0, 0, 0}}, 2, []int{0, 2, 2}},
		{"more ranges than rows", &graph.Graph{Indptr: []uint64{0, 1}, Indices: make([]uint32, 1)}, 3, []int{0, 0, 0, 1}},
	} {
		if bounds := c.graph.RowRanges(c.n); !slices.Equal(bounds, c.want) {
			t.Errorf("%s: bounds %v, expected %v", c.name, bounds, c.want)
		}
	}
}
