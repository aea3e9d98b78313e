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
			slots, err := makeAlias(g, graph.Options{Threads: threads})
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
