package resident_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// TestLongRowsHaveEqualAliasTables uploads tables of rows that the host builds: some in one buffer, and one that is longer than
// a buffer.
func TestLongRowsHaveEqualAliasTables(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	on(t, func(d *cuda.Device, s cuda.Stream) {
		const rows, long = 60, int(plan.UploadChunk)/16 + 5
		var src, dst []int64
		var weights []float64
		for u := range rows {
			n := kernels.AliasThreadEdges - 30 + u
			if u == 37 {
				n = long
			}
			for range n {
				src, dst = append(src, int64(u)), append(dst, int64(r.IntN(1000)))
				weights = append(weights, float64(r.IntN(5)))
			}
		}
		g, err := build.FromEdges(build.Edges{
			Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Weights: graph.ArrayOf(weights), NumVertices: 1000,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		at, release, err := resident.Of(g, d).Hold(resident.Alias, s, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if err := index.BuildAlias(g, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(read[index.AliasSlot](t, d, s, at.Alias, g.NumEdges()), index.AliasOf(g)) {
			t.Error("the alias tables differ")
		}
	})
}
