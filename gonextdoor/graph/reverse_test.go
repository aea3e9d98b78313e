package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"

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
			e.Weights, e.Times = Array{}, Array{}
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
			g.EdgeIDs, g.EdgeIDs64 = nil, owned(g, wide)
		}
		want := naive(arcs, e.Symmetric, e.Deduplicate, false)
		for i, a := range want {
			want[i].src, want[i].dst = a.dst, a.src
		}
		for _, threads := range []int{1, 3} {
			back, err := g.Reverse(threads, nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, back, n, naive(want, false, false, false), e.Weights.Given(), true, e.Times.Given())
			back.Close()
		}
		g.Close()
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

// TestReverseKeepsExtremeWeights: a weight that is read back is exact, from the smallest float64 to the largest.
func TestReverseKeepsExtremeWeights(t *testing.T) {
	weights := []float64{5e-324, 3e-320, 1e-310, 1, 1e308}
	n := uint8(len(weights))
	var src, dst []uint8
	for i := range n { // a row each, so that each is its row's largest; reversed, too
		src, dst = append(src, i), append(dst, n+i)
	}
	g, err := FromEdges(Edges{Sources: ArrayOf(src), Targets: ArrayOf(dst), Weights: ArrayOf(weights), NumVertices: Unknown})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	back, err := g.Reverse(0, nil)
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
		Sources: ArrayOf([]uint8{0, 1}), Targets: ArrayOf([]uint8{2, 2}), Weights: ArrayOf([]float64{1e308, 1e308}), NumVertices: Unknown,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Reverse(0, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("a sum of weights that is no float64: %v", err)
	}
	if _, err := g.Reverse(0, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("stopped: %v", err)
	}
	g.Close()
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

func TestSymmetricEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	found := [2]int{}
	for trial := range 600 {
		n := 1 + r.IntN(30)
		g, err := FromEdges(edgesOf(t, randomArcs(r, n, r.IntN(60)), "int32", "int32", "int32"))
		if trial%3 > 0 { // mirrored, with one edge too many in every second of them
			arcs := naive(randomArcs(r, n, 1+r.IntN(40)), true, trial&1 > 0, false)
			if trial%3 == 2 {
				arcs = append(arcs, randomArcs(r, n, 1)...)
			}
			g.Close()
			g, err = FromEdges(edgesOf(t, arcs, "int32", "int32", "int32"))
		}
		if err != nil {
			t.Fatal(err)
		}
		want := true
		for u := range uint32(g.NumVertices()) {
			for _, v := range g.Neighbors(u) {
				want = want && g.HasEdge(v, u)
			}
		}
		for _, chunk := range []uint32{1, 7, 1 << 20} { // pieces of every size agree
			got := true
			for lo := uint32(0); lo < uint32(g.NumVertices()); lo += chunk {
				got = got && g.mirrored(lo, min(lo+chunk, uint32(g.NumVertices())), &never)
			}
			if got != want {
				t.Fatalf("chunk %d: %v, expected %v", chunk, got, want)
			}
		}
		if got, err := g.SymmetricBy(Hands{}); got != want || err != nil {
			t.Fatalf("%v %v, expected %v", got, err, want)
		}
		found[map[bool]int{true: 1}[want]]++
		g.Close()
	}
	if found[0] < 100 || found[1] < 100 {
		t.Errorf("the inputs are one-sided: %v", found)
	}
}

func ExampleGraph_Reverse() {
	g, _ := FromEdges(Edges{Sources: ArrayOf([]int64{0, 0, 1}), Targets: ArrayOf([]int64{1, 2, 2}), NumVertices: Unknown})
	defer g.Close()
	r, _ := g.Reverse(0, nil)
	defer r.Close()
	fmt.Println(r.Neighbors(2), r.EdgeID(1), r.EdgeID(2))
	// Output: [0 1] 1 2
}
