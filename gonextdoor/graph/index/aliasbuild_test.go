package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
)

// TestMakeAliasEqualsBuildAlias compares every slot of every row on several threads with the serial definition.
func TestMakeAliasEqualsBuildAlias(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var all []*graph.Graph
	for _, weights := range graphtest.HardWeights() {
		all = append(all, graphtest.Loops(t, weights))
	}
	all = append(all, graphtest.RMAT(t, build.RMAT{Scale: 13, EdgeFactor: 16, Symmetric: true, Low: 1, High: 5}), graphtest.Loops(t, nil))
	hub := make([]float64, 100_000)
	for i := range hub {
		hub[i] = r.ExpFloat64() * float64(r.IntN(4))
	}
	all = append(all, graphtest.Loops(t, hub))
	for _, g := range all {
		want := make([]AliasSlot, g.NumEdges(), g.NumEdges()+1)
		for u := range uint32(g.NumVertices()) {
			first, end := g.Row(u)
			BuildAliasRow(g.Indices[first:end], g.Biases[first:end], want[first:end])
		}
		want = append(want, AliasSlot{graph.None, graph.None, ^uint32(0), 0})
		for _, threads := range []int{1, 2, 4} {
			slots, err := makeAlias(g, nil, graph.Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(slots[:len(slots)+1], want) {
				t.Errorf("graph of %d edges, %d threads: the tables differ", g.NumEdges(), threads)
			}
			offheap.Free(slots)
		}
		if err := BuildAlias(g, graph.Options{}); err != nil || !slices.Equal(AliasOf(g), want[:len(want)-1]) {
			t.Errorf("MakeAlias: %v", err)
		}
		g.Close()
	}
}

// TestUpdateAliasEqualsBuildAlias compares the tables of versions, with and without tables of the graph before.
func TestUpdateAliasEqualsBuildAlias(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 20 {
		g := graphtest.RMAT(t, build.RMAT{Scale: 8, EdgeFactor: 8, Low: 1, High: 5})
		n := r.IntN(200)
		src, dst, weights := make([]int64, n), make([]int64, n), make([]float64, n)
		for i := range n {
			src[i], dst[i], weights[i] = r.Int64N(260), r.Int64N(260), r.ExpFloat64()*9
		}
		u := build.Update{Graph: g, Add: build.Edges{
			Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Weights: graph.ArrayOf(weights),
		}, RemoveIDs: graph.ArrayOf([]uint64{g.EdgeID(r.Uint64N(500)), g.EdgeID(500 + r.Uint64N(500))})}
		to, err := build.Updated(u)
		if err != nil {
			t.Fatal(err)
		}
		if err := UpdateAlias(to, g, graph.Options{}); err != nil || AliasOf(to) != nil {
			t.Fatalf("the graph has no tables, its version has, or %v", err)
		}
		if err := BuildAlias(g, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		want, err := makeAlias(to, nil, graph.Options{})
		if err == nil {
			err = UpdateAlias(to, g, graph.Options{Threads: 2})
		}
		if err != nil || !slices.Equal(AliasOf(to)[:len(want)+1], want[:len(want)+1]) {
			t.Fatalf("the tables differ, %v", err)
		}
		offheap.Free(want)
		to.Close()
		g.Close()
	}
}

// TestAliasLosesNothing sums the probability of each edge over all slots. It equals its share up to the rounding of thresholds.
func TestAliasLosesNothing(t *testing.T) {
	for name, weights := range graphtest.HardWeights() {
		g := graphtest.Loops(t, weights)
		if err := BuildAlias(g, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		row := AliasRow(g, 0)
		var total float64
		for _, b := range g.Biases {
			total += float64(b)
		}
		if (total == 0) != (row == nil) {
			t.Errorf("%s: %d slots", name, len(row))
		}
		got := make([]float64, len(weights))
		for i, s := range row {
			own := float64(s.Threshold) / (1 << 32)
			if s.AliasPosition == uint32(i) {
				own = 1
			}
			got[i] += own / float64(len(row))
			got[s.AliasPosition] += (1 - own) / float64(len(row))
		}
		for i, b := range g.Biases {
			if d := got[i] - float64(b)/total; total > 0 && (d > 0x1p-31 || d < -0x1p-31) {
				t.Errorf("%s: edge %d gets %g, expected %g", name, i, got[i], float64(b)/total)
			}
			if total > 0 && b == 0 && got[i] > 0 {
				t.Errorf("%s: edge %d has no bias and gets %g", name, i, got[i])
			}
		}
		g.Close()
	}
}
