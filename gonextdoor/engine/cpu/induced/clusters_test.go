package induced

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// TestOfClustersIsAmong compares the edges of chosen clusters with those among their vertices: of clusters that are empty, that
// repeat, and of all and none, on graphs whose edges have ids or not.
func TestOfClustersIsAmong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, ids := range []bool{false, true} {
		g := graphtest.RMAT(t, build.RMAT{Scale: 9, EdgeFactor: 8, Symmetric: true})
		if ids {
			for i := range g.NumEdges() {
				g.EdgeIDs = append(g.EdgeIDs, uint32(7*i))
			}
		}
		bounds := []int64{0, 0}
		for range 20 {
			bounds = append(bounds, int64(r.IntN(g.NumVertices())))
		}
		slices.Sort(bounds)
		bounds = append(bounds, int64(g.NumVertices()))
		batches := [][]int64{nil, {0}, {5, 3, 5, 0, 17}, {20, 19, 18}, {2}}
		all := []int64{}
		for c := range len(bounds) - 1 {
			all = append(all, int64(c))
		}
		batches, total := append(batches, all), 0
		found, err := OfClusters(g, bounds, batches, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, chosen := range batches {
			vertices := []int64{}
			for _, c := range chosen {
				for v := bounds[c]; v < bounds[c+1]; v++ {
					vertices = append(vertices, v)
				}
			}
			ends := []int64{int64(len(vertices))}
			want, err := Among(g, Groups{vertices, ends, vertices, ends, ByVertex})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(found[i].Vertices, vertices) || !slices.Equal(found[i].Places, want.Places) || !slices.Equal(found[i].IDs, want.IDs) {
				t.Errorf("clusters %v: %v, expected %v of vertices %v", chosen, found[i], want, vertices)
			}
			total += len(want.IDs)
			found[i].Return()
			want.Return()
		}
		if total <= g.NumEdges() {
			t.Errorf("%d edges in all batches", total)
		}
	}
}

// TestOfClustersRefuses passes clusters that do not exist, bounds that are not those of clusters, and other bounds later.
func TestOfClustersRefuses(t *testing.T) {
	fresh := func() *graph.Graph { return graphtest.RMAT(t, build.RMAT{Scale: 4, EdgeFactor: 2, Symmetric: true}) }
	g := fresh()
	for _, c := range []struct {
		g      *graph.Graph
		bounds []int64
		chosen int64
		why    string
	}{
		{g, []int64{0, 8, 16}, 2, "clusters[0] = 2 is out of range: cluster ids must be 0 <= id < 2"},
		{g, []int64{0, 8, 16}, -1, "clusters[0] = -1 is out of range"},
		{g, []int64{0, 9, 16}, 0, "not those of the first call"},
		{fresh(), []int64{0, 8, 15}, 0, "ascend from 0 to 16"},
		{fresh(), []int64{1, 16}, 0, "ascend from 0 to 16"},
		{fresh(), []int64{0, 9, 8, 16}, 0, "ascend from 0 to 16"},
		{fresh(), nil, 0, "ascend from 0 to 16"},
	} {
		_, err := OfClusters(c.g, c.bounds, [][]int64{{c.chosen}}, 1)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("bounds %v, cluster %d: %v, expected %q", c.bounds, c.chosen, err, c.why)
		}
	}
}
