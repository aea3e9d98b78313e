package build

import (
	"math/rand/v2"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// csrOf converts arcs to CSR, with each row in input order, and returns them in that order.
func csrOf(t testing.TB, arcs []arc, n int, ids, others, weights string) (CSR, []arc) {
	var rows []arc
	indptr := make([]arc, 1, n+1)
	for u := range n {
		for _, a := range arcs {
			if int(a.src) == u {
				a.id = int64(len(rows))
				rows = append(rows, a)
			}
		}
		indptr = append(indptr, arc{id: int64(len(rows))})
	}
	return CSR{
		Indptr:      column(t, "int64", indptr, func(a arc) float64 { return float64(a.id) }),
		Indices:     column(t, ids, rows, func(a arc) float64 { return float64(a.dst) }),
		Weights:     column(t, weights, rows, func(a arc) float64 { return a.weight }),
		Labels:      column(t, others, rows, func(a arc) float64 { return float64(a.label) }),
		Times:       column(t, others, rows, func(a arc) float64 { return float64(a.time) }),
		NumVertices: Unknown,
	}, rows
}

func TestFromCSREqualsNaive(t *testing.T) {
	live := offheap.Live()
	r := rand.New(rand.NewPCG(11, 12))
	for trial := range 300 {
		n, m := 1+r.IntN(60), r.IntN(300)
		if trial%50 == 0 {
			m *= 100 // long enough rows for the radix sort
		}
		arcs := randomArcs(r, n, m)
		if trial%5 == 0 {
			arcs = naive(arcs, false, false, false)
		}
		c, rows := csrOf(t, arcs, n, integerDtypes[trial%8], integerDtypes[r.IntN(8)], append(integerDtypes, "float32", "float64")[r.IntN(10)])
		want := naive(rows, false, false, false)
		if trial&1 > 0 { // the user's own ids, of 32 or 64 bits
			for i := range want {
				want[i].id = want[i].id*3 + int64(trial&2)<<40
			}
			c.EdgeIDs = column(t, "uint64", rows, func(a arc) float64 { return float64(a.id*3 + int64(trial&2)<<40) })
		}
		if trial&4 > 0 {
			c.Weights, c.Labels = graph.Array{}, graph.Array{}
		}
		if trial&8 > 0 {
			c.NumVertices, n = n+7, n+7
		}
		for _, threads := range []int{1, 2, 4} {
			c.Threads = threads
			g, err := FromCSR(c)
			if err != nil {
				t.Fatal(err)
			}
			same(t, g, n, want, c.Weights.Given(), c.Labels.Given(), true)
			if c.EdgeIDs.Given() && len(want) > 0 && (g.EdgeIDs64 != nil) != (trial&2 > 0) {
				t.Errorf("ids up to %d in 64 bits: %v", want[len(want)-1].id, g.EdgeIDs64 != nil)
			}
			g.Close()
		}
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

func TestSortedRowsKeepNoIDs(t *testing.T) {
	g, err := FromCSR(CSR{Indptr: graph.ArrayOf([]uint8{0, 2, 2, 3}), Indices: graph.ArrayOf([]uint16{1, 1, 0}), NumVertices: Unknown})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.EdgeIDs != nil || g.EdgeIDs64 != nil {
		t.Error("ids are kept that are the positions")
	}
}
