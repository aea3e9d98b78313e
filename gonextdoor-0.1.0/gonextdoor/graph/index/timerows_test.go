package index

import (
	"cmp"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// Time rows have the edges of the graph's rows by time, then by position, with the prefix sums of their biases.
func TestTimeRowsAreRowsInOrder(t *testing.T) {
	var src, dst []uint32
	var times []int64
	var weights []float64
	for i := range uint32(3000) {
		src, dst = append(src, i*i%37), append(dst, i*7%50)
		times, weights = append(times, int64(i*i%11)-5), append(weights, float64(i%4))
	}
	g, err := build.FromEdges(build.Edges{
		Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), Times: graph.ArrayOf(times), Weights: graph.ArrayOf(weights), NumVertices: 50,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ofVertices := make([]int64, 50)
	for v := range ofVertices {
		ofVertices[v] = int64(v * v % 7)
	}
	for _, ends := range [][]int64{nil, ofVertices} {
		r, err := BuildTimeRows(g, ends, graph.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		ordered, err := TimeOrdered(g, ends, graph.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if ordered.Origin() != g || ordered.Base() != ordered || ordered.MaxDegree() != g.MaxDegree() {
			t.Error("the graph ordered by time has another origin, base or largest degree")
		}
		time := func(p uint64) int64 {
			if ends != nil {
				return ends[g.Indices[p]]
			}
			return g.Times[p]
		}
		for v := range uint32(50) {
			first, end := g.Row(v)
			var row []uint64
			for p := first; p < end; p++ {
				row = append(row, p)
			}
			slices.SortStableFunc(row, func(p, q uint64) int { return cmp.Compare(time(p), time(q)) })
			sum := uint64(0)
			for i, p := range row {
				at := first + uint64(i)
				sum += uint64(g.Biases[p])
				if ordered.Indices[at] != r.Indices[at] || ordered.EdgeID(at) != g.EdgeID(p) || ordered.Times[at] != time(p) || ordered.Biases[at] != g.Biases[p] {
					t.Fatalf("vertex %d, edge %d of the graph ordered by time: end %d, id %d", v, i, ordered.Indices[at], ordered.EdgeID(at))
				}
				if r.Indices[at] != g.Indices[p] || uint64(r.EdgeIDs[at]) != g.EdgeID(p) || r.Times[at] != time(p) || r.Sums[at] != sum {
					t.Fatalf("vertex %d, edge %d: end %d, id %d, time %d, sum %d", v, i, r.Indices[at], r.EdgeIDs[at], r.Times[at], r.Sums[at])
				}
			}
			var firsts, degrees []uint64
			var moments []int64
			for moment := int64(-7); moment < 9; moment++ {
				firsts, degrees, moments = append(firsts, first), append(degrees, end-first), append(moments, moment)
			}
			r.Before(firsts, degrees, moments)
			for i, moment := range moments {
				want := 0
				for _, p := range row {
					if time(p) <= moment {
						want++
					}
				}
				if degrees[i] != uint64(want) {
					t.Fatalf("vertex %d: %d edges before %d, want %d", v, degrees[i], moment, want)
				}
			}
		}
		if after := ordered.Indices[:len(ordered.Indices)+1]; after[len(ordered.Indices)] != graph.None {
			t.Error("the indices do not end with None")
		}
		ordered.Close()
		r.Free()
	}
}
