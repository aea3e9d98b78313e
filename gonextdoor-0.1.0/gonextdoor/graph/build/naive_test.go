package build

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
)

// arc is an edge with its attributes, for the naive builder.
type arc struct {
	src, dst, id int64
	weight       float64
	label        int32
	time         int64
}

// naive is the serial definition of the builders: a stable sort of tuples.
func naive(arcs []arc, mirror, merge, dropLoops bool) []arc {
	var out []arc
	for _, a := range arcs {
		if a.src == a.dst && dropLoops {
			continue
		}
		out = append(out, a)
		if mirror && a.src != a.dst {
			a.src, a.dst = a.dst, a.src
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b arc) int { return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst)) })
	if merge {
		out = slices.CompactFunc(out, func(a, b arc) bool { return a.src == b.src && a.dst == b.dst })
	}
	return out
}

// same fails unless g has n vertices and exactly the edges of want, in order.
func same(t testing.TB, g *graph.Graph, n int, want []arc, weighted, labelled, timed bool) {
	t.Helper()
	invariants(t, g)
	if g.NumVertices() != n || g.NumEdges() != len(want) {
		t.Fatalf("%d vertices and %d edges, expected %d and %d", g.NumVertices(), g.NumEdges(), n, len(want))
	}
	if g.Weighted() != weighted || (g.Labels != nil) != labelled || (g.Times != nil) != timed {
		t.Fatalf("weights %v, labels %v, times %v", g.Weighted(), g.Labels != nil, g.Times != nil)
	}
	p := uint64(0)
	for u := range uint32(n) {
		first, end := g.Row(u)
		for q := first; q < end; q++ {
			w := want[q]
			if w.src != int64(u) || w.dst != int64(g.Indices[q]) || w.id != int64(g.EdgeID(q)) {
				t.Fatalf("position %d: edge %d->%d id %d, expected %d->%d id %d", q, u, g.Indices[q], g.EdgeID(q), w.src, w.dst, w.id)
			}
			if labelled && g.Labels[q] != w.label || timed && g.Times[q] != w.time {
				t.Fatalf("position %d: label or time differ", q)
			}
			if weighted && g.Weight(u, q) != w.weight {
				t.Fatalf("position %d: weight %v, expected %v", q, g.Weight(u, q), w.weight)
			}
			p++
		}
	}
}

// invariants fails unless g satisfies the documentation of graph.Graph.
func invariants(t testing.TB, g *graph.Graph) {
	t.Helper()
	most, sinks := uint64(0), false
	if g.Indptr[0] != 0 || g.Indptr[g.NumVertices()] != uint64(g.NumEdges()) {
		t.Fatalf("indptr goes from %d to %d", g.Indptr[0], g.Indptr[g.NumVertices()])
	}
	for u := range g.NumVertices() {
		if g.Indptr[u+1] < g.Indptr[u] {
			t.Fatalf("indptr[%d] decreases", u+1)
		}
		row := g.Neighbors(uint32(u))
		if !slices.IsSorted(row) || len(row) > 0 && int(row[len(row)-1]) >= g.NumVertices() {
			t.Fatalf("row %d: %v", u, row)
		}
		most, sinks = max(most, uint64(len(row))), sinks || len(row) == 0
	}
	if g.Indices[:g.NumEdges()+1][g.NumEdges()] != graph.None {
		t.Fatal("no sentinel")
	}
	if g.MaxDegree() != most || g.HasSinks() != sinks {
		t.Fatalf("largest degree %d, sinks %v; expected %d, %v", g.MaxDegree(), g.HasSinks(), most, sinks)
	}
	if g.EdgeIDs != nil && g.EdgeIDs64 != nil {
		t.Fatal("ids in 32 and in 64 bits")
	}
}

// randomArcs returns m edges between n vertices. All weights are integers, so biases represent them exactly.
func randomArcs(r *rand.Rand, n, m int) []arc {
	arcs := make([]arc, m)
	for i := range arcs {
		arcs[i] = arc{r.Int64N(int64(n)), r.Int64N(int64(n)), int64(i), float64(r.IntN(100)), int32(r.IntN(100)), int64(r.IntN(100))}
	}
	return arcs
}

// column returns one number of each arc as an array of a dtype.
func column(t testing.TB, dtype string, arcs []arc, of func(arc) float64) graph.Array {
	switch dtype {
	case "int8":
		return cast[int8](arcs, of)
	case "int16":
		return cast[int16](arcs, of)
	case "int32":
		return cast[int32](arcs, of)
	case "int64":
		return cast[int64](arcs, of)
	case "uint8":
		return cast[uint8](arcs, of)
	case "uint16":
		return cast[uint16](arcs, of)
	case "uint32":
		return cast[uint32](arcs, of)
	case "uint64":
		return cast[uint64](arcs, of)
	case "float32":
		return cast[float32](arcs, of)
	case "float64":
		return cast[float64](arcs, of)
	}
	t.Fatalf("dtype %s", dtype)
	return graph.Array{}
}

func cast[T graph.Number](arcs []arc, of func(arc) float64) graph.Array {
	out := make([]T, len(arcs))
	for i, a := range arcs {
		out[i] = T(of(a))
	}
	return graph.ArrayOf(out)
}

var integerDtypes = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
