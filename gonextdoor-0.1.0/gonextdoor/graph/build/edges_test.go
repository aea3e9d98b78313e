package build

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

func edgesOf(t testing.TB, arcs []arc, ids, others, weights string) Edges {
	return Edges{
		Sources:     column(t, ids, arcs, func(a arc) float64 { return float64(a.src) }),
		Targets:     column(t, ids, arcs, func(a arc) float64 { return float64(a.dst) }),
		Weights:     column(t, weights, arcs, func(a arc) float64 { return a.weight }),
		Labels:      column(t, others, arcs, func(a arc) float64 { return float64(a.label) }),
		Times:       column(t, others, arcs, func(a arc) float64 { return float64(a.time) }),
		NumVertices: Unknown,
	}
}

func TestFromEdgesEqualsNaive(t *testing.T) {
	live := offheap.Live()
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		n, m := 1+r.IntN(60), r.IntN(300)
		arcs := randomArcs(r, n, m)
		if trial%5 == 0 { // input that is sorted already
			arcs = naive(arcs, false, trial%10 == 0, false)
			for i := range arcs {
				arcs[i].id = int64(i)
			}
		}
		e := edgesOf(t, arcs, integerDtypes[trial%8], integerDtypes[r.IntN(8)], append(integerDtypes, "float32", "float64")[r.IntN(10)])
		e.NumVertices, e.Symmetric, e.Deduplicate, e.DropSelfLoops = n, trial&1 > 0, trial&2 > 0, trial&4 > 0
		if trial&8 > 0 {
			e.Weights = graph.Array{}
		}
		if trial&16 > 0 {
			e.Labels, e.Times = graph.Array{}, graph.Array{}
		}
		for _, threads := range []int{1, 2, 4} {
			e.Threads = threads
			g, err := FromEdges(e)
			if err != nil {
				t.Fatal(err)
			}
			same(t, g, n, naive(arcs, e.Symmetric, e.Deduplicate, e.DropSelfLoops), e.Weights.Given(), e.Labels.Given(), e.Times.Given())
			g.Close()
		}
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

// TestFromEdgesOfManyBuckets covers cases that small inputs do not reach: several buckets, pieces and passes, and a row with
// most of the edges, which does not fit in the scratch memory of a worker.
func TestFromEdgesOfManyBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, hub := range []bool{false, true} {
		for _, options := range []int{0, 1, 2, 7} {
			const n, m = 1 << 19, 70_000
			arcs := randomArcs(r, n, m)
			for i := range arcs {
				if hub && i%4 > 0 {
					arcs[i].src = 77_777
				}
			}
			e := edgesOf(t, arcs, "int64", "int32", "float64")
			e.Symmetric, e.Deduplicate, e.DropSelfLoops = options&1 > 0, options&2 > 0, options&4 > 0
			e.NumVertices = n
			want := naive(arcs, e.Symmetric, e.Deduplicate, e.DropSelfLoops)
			for _, threads := range []int{1, 4} {
				e.Threads = threads
				g, err := FromEdges(e)
				if err != nil {
					t.Fatal(err)
				}
				same(t, g, n, want, true, true, true)
				g.Close()
			}
		}
	}
}

func TestFromEdgesSizes(t *testing.T) {
	empty := graph.ArrayOf([]int32{})
	for _, c := range []struct{ given, want int }{{Unknown, 0}, {0, 0}, {5, 5}} {
		g, err := FromEdges(Edges{Sources: empty, Targets: empty, NumVertices: c.given})
		if err != nil {
			t.Fatal(err)
		}
		same(t, g, c.want, nil, false, false, false)
		g.Close()
	}
	e := Edges{Sources: graph.ArrayOf([]uint8{3}), Targets: graph.ArrayOf([]uint8{250}), NumVertices: Unknown, Symmetric: true}
	g, err := FromEdges(e)
	if err != nil {
		t.Fatal(err)
	}
	same(t, g, 251, []arc{{src: 3, dst: 250}, {src: 250, dst: 3}}, false, false, false)
	g.Close()
}

// TestFromEdgesMemory checks that the peak memory is at most three times that of the finished graph.
func TestFromEdgesMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, m = 1 << 17, 1 << 21
	for _, shape := range []string{"uniform", "star", "sorted"} {
		src, dst := make([]uint32, m), make([]uint32, m)
		for i := range src {
			src[i], dst[i] = uint32(r.IntN(n)), uint32(r.IntN(n))
			if shape == "star" {
				src[i] = 7
			}
			if shape == "sorted" {
				src[i], dst[i] = uint32(i>>4), uint32(i&15)
			}
		}
		for _, symmetric := range []bool{false, true} {
			for _, threads := range []int{1, 4} {
				before := offheap.Used()
				offheap.ResetPeak()
				g, err := FromEdges(Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: n, Symmetric: symmetric, Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				peak, size := offheap.Peak()-before, offheap.Used()-before
				t.Logf("%s, symmetric %v, %d threads: %.2f", shape, symmetric, threads, float64(peak)/float64(size))
				if peak > 3*size {
					t.Errorf("%s, symmetric %v, %d threads: peak of %d bytes for a graph of %d", shape, symmetric, threads, peak, size)
				}
				g.Close()
			}
		}
	}
}

func ExampleFromEdges() {
	g, _ := FromEdges(Edges{
		Sources: graph.ArrayOf([]int64{2, 0, 0}), Targets: graph.ArrayOf([]int64{1, 2, 1}), NumVertices: Unknown, Symmetric: true,
	})
	defer g.Close()
	for u := range uint32(3) {
		first, _ := g.Row(u)
		fmt.Println(u, g.Neighbors(u), "first edge is the input's", g.EdgeID(first))
	}
	// Output:
	// 0 [1 2] first edge is the input's 2
	// 1 [0 2] first edge is the input's 2
	// 2 [0 1] first edge is the input's 1
}
