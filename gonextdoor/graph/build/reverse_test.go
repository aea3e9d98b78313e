package build

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

func TestReverseEqualsNaive(t *testing.T) {
	live := offheap.Live()
	r := rand.New(rand.NewPCG(41, 42))
	for trial := range 200 {
		n := 1 + r.IntN(50)
		arcs := randomArcs(r, n, r.IntN(250))
		e := edgesOf(t, arcs, "int64", "int16", "float32")
		e.NumVertices, e.Symmetric, e.Deduplicate = n, trial&1 > 0, trial&2 > 0
		if trial&4 > 0 {
			e.Weights, e.Times = graph.Array{}, graph.Array{}
		}
		g, err := FromEdges(e)
		if err != nil {
			t.Fatal(err)
		}
		if trial%7 == 0 && g.EdgeIDs != nil { // the same ids in 64 bits
			wide, _ := offheap.Make[uint64](len(g.EdgeIDs))
			for i, id := range g.EdgeIDs {
				wide[i] = uint64(id)
			}
			g.EdgeIDs, g.EdgeIDs64 = nil, graph.Own(g, wide)
		}
		g.TimeUnit, g.LabelNames = "ms", []string{"likes"}
		want := naive(arcs, e.Symmetric, e.Deduplicate, false)
		for i, a := range want {
			want[i].src, want[i].dst = a.dst, a.src
		}
		for _, threads := range []int{1, 3} {
			back, err := Reverse(g, threads, nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, back, n, naive(want, false, false, false), e.Weights.Given(), true, e.Times.Given())
			if back.TimeUnit != g.TimeUnit || !slices.Equal(back.LabelNames, g.LabelNames) {
				t.Fatalf("time unit %q and label names %q of the reverse", back.TimeUnit, back.LabelNames)
			}
			back.Close()
		}
		g.Close()
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

// TestReverseKeepsExtremeWeights checks that reversing a graph keeps weights from the smallest float64 to the largest.
func TestReverseKeepsExtremeWeights(t *testing.T) {
	weights := []float64{5e-324, 3e-320, 1e-310, 1, 1e308}
	n := uint8(len(weights))
	var src, dst []uint8
	for i := range n { // one edge per row in both graphs, so that each weight is the largest of its row
		src, dst = append(src, i), append(dst, n+i)
	}
	g, err := FromEdges(Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Weights: graph.ArrayOf(weights), NumVertices: Unknown})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	back, err := Reverse(g, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	for i, w := range weights {
		there, here := g.Weight(uint32(i), uint64(i)), back.Weight(uint32(int(n)+i), uint64(i))
		if d := there/w - 1; there != here || d > 0x1p-32 || d < -0x1p-32 {
			t.Errorf("weight %g is %g, and %g reversed", w, there, here)
		}
	}
}

func TestReverseStopsAndRefuses(t *testing.T) {
	live := offheap.Live()
	g, err := FromEdges(Edges{
		Sources: graph.ArrayOf([]uint8{0, 1}), Targets: graph.ArrayOf([]uint8{2, 2}), Weights: graph.ArrayOf([]float64{1e308, 1e308}), NumVertices: Unknown,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Reverse(g, 0, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("a sum of weights that is no float64: %v", err)
	}
	if _, err := Reverse(g, 0, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("stopped: %v", err)
	}
	g.Close()
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

func ExampleReverse() {
	g, _ := FromEdges(Edges{Sources: graph.ArrayOf([]int64{0, 0, 1}), Targets: graph.ArrayOf([]int64{1, 2, 2}), NumVertices: Unknown})
	defer g.Close()
	r, _ := Reverse(g, 0, nil)
	defer r.Close()
	fmt.Println(r.Neighbors(2), r.EdgeID(1), r.EdgeID(2))
	// Output: [0 1] 1 2
}
