package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// TestInducedEqualsItsDefinition compares the edges among random groups of vertices with the definition.
func TestInducedEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	g := graphtest.RMAT(t, build.RMAT{Scale: 9, EdgeFactor: 16, Symmetric: true})
	var nodes, ends, want []int64
	room := 0
	for size := range 30 {
		group := r.Perm(g.NumVertices())[:size*size/2]
		from := len(nodes)
		for _, v := range group {
			nodes = append(nodes, int64(v))
			room += int(g.Degree(uint32(v)))
		}
		ends = append(ends, int64(len(nodes)))
		for i, v := range group {
			first, end := g.Row(uint32(v))
			for position := first; position < end; position++ {
				if at := slices.Index(group, int(g.Indices[position])); at >= 0 {
					want = append(want, int64(from+i), int64(from+at), int64(g.EdgeID(position)))
				}
			}
		}
	}
	for range 2 { // the second call borrows the scratch memory of the first
		rows, cols, ids := make([]int64, room), make([]int64, room), make([]int64, room)
		n, err := Induced(g, nodes, ends, rows, cols, ids)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for i := range n {
			got = append(got, rows[i], cols[i], ids[i])
		}
		if n == 0 || !slices.Equal(got, want) {
			t.Fatalf("found %d edges, expected %d, or others", n, len(want)/3)
		}
	}
}

// TestInducedRefusesWhatItCannotHold passes vertices that are not in the graph, and too little room.
func TestInducedRefusesWhatItCannotHold(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 4, EdgeFactor: 2, Symmetric: true})
	for _, v := range []int64{-1, 16} {
		if _, err := Induced(g, []int64{v}, []int64{1}, nil, nil, nil); err == nil {
			t.Errorf("vertex %d was accepted", v)
		}
	}
	if _, err := Induced(g, []int64{0, 1, 2, 3}, []int64{4}, nil, nil, nil); err == nil {
		t.Error("no room was accepted")
	}
}
