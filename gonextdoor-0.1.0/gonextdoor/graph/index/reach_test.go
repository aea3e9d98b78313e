package index_test

import (
	"math/big"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// The share of an edge is bias * edges / sum, rounded down, with a relative error of at most 2^-30. The shares of all edges to
// one vertex do not exceed Most.
func TestReach(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		for name, g := range map[string]*graph.Graph{
			"thicket": graphtest.Thicket(weighted), "diamond": graphtest.Diamond(weighted), "hub": graphtest.Hub(weighted),
			"star": graphtest.Star(700, weighted), "fan": graphtest.Fan(300, weighted), "circle": graphtest.Circle(weighted),
			"lonely": graphtest.Lonely(weighted),
		} {
			before := make([]index.Reach, g.NumVertices())
			for v := range before {
				before[v] = index.ReachAt(g, uint32(v), weighted)
			}
			table, err := index.ReachOf(g, weighted, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for v, r := range before {
				if at := index.ReachAt(g, uint32(v), weighted); at != r || table != nil && table[v] != r {
					t.Errorf("%s, weighted %v: Reach of %d is %v, and %v in the table", name, weighted, v, r, at)
				}
				checkReach(t, g, uint32(v), weighted, r)
				if table == nil && g.Degree(uint32(v)) > 0 && r != index.SingleReach {
					t.Errorf("%s: no table, but the Reach of %d is %v", name, v, r)
				}
			}
			g.Close()
		}
	}
}

func checkReach(t *testing.T, g *graph.Graph, v uint32, weighted bool, r index.Reach) {
	t.Helper()
	first, end := g.Row(v)
	bias := func(e uint64) uint64 {
		if weighted {
			return uint64(g.Biases[e])
		}
		return 1
	}
	sum := uint64(0)
	for e := first; e < end; e++ {
		sum += bias(e)
	}
	together := map[uint32]uint64{}
	for e := first; e < end; e++ {
		share := r.Of(bias(e))
		together[g.Indices[e]] += share
		if sum == 0 {
			if share != 0 {
				t.Errorf("share %d of an edge of a row without biases", share)
			}
			continue
		}
		exact := new(big.Rat).SetFrac(new(big.Int).Lsh(new(big.Int).SetUint64(bias(e)*(end-first)), 32), new(big.Int).SetUint64(sum))
		least := new(big.Rat).Sub(new(big.Rat).Mul(exact, big.NewRat(1<<30-1, 1<<30)), big.NewRat(1, 1))
		if got := new(big.Rat).SetInt(new(big.Int).SetUint64(share)); got.Cmp(exact) > 0 || got.Cmp(least) < 0 {
			t.Errorf("edge %d of %d: share %d, expected %v", e, v, share, exact.FloatString(3))
		}
	}
	most := uint64(0)
	for _, share := range together {
		most = max(most, share)
	}
	if r.Most() < most || r.Most() >= most+64 {
		t.Errorf("row %d: Most is %d, expected %d", v, r.Most(), most)
	}
}
