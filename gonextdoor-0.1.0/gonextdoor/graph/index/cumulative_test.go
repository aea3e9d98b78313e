package index_test

import (
	"math"
	"sort"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

// The guide does not change the result of Find. Biases equal the fractions that they represent, and positive ones are never 0.
func TestImportance(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"thicket": graphtest.Thicket(false), "star": graphtest.Star(3000, false), "lonely": graphtest.Lonely(false),
		"circle": graphtest.Circle(false), "fan": graphtest.Fan(5000, false), "nothing": graphtest.Make(0, false, nil),
	} {
		inverse := func(v uint32) float64 {
			if g.Degree(v) == 0 {
				return 0
			}
			return 1 / float64(g.Degree(v))
		}
		norms, shares := make([]float64, g.NumVertices()), make([]float64, g.NumEdges())
		for u := range g.NumVertices() {
			for i, v := range g.Neighbors(uint32(u)) {
				norms[v] += math.Pow(inverse(uint32(u)), 2)
				shares[g.Indptr[u]+uint64(i)] = inverse(uint32(u)) + inverse(v)
			}
		}
		columns, err := index.ColumnNorms(g, graph.Options{Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		edges, err := index.EdgeShares(g, graph.Options{Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		proportional(t, name+" columns", columns, norms)
		proportional(t, name+" edges", edges, shares)
		searched(t, name+" columns", columns)
		searched(t, name+" edges", edges)
		g.Close()
	}
}

// proportional compares each bias's share of the total with that of the expected weights.
func proportional(t *testing.T, name string, c index.Cumulative, want []float64) {
	sum := 0.0
	for _, w := range want {
		sum += w
	}
	for i, w := range want {
		got := float64(c.Bias(uint64(i))) / float64(max(1, c.Total()))
		if math.Abs(got-w/max(sum, 1e-300)) > 1e-9 || (got > 0) != (w > 0) {
			t.Errorf("%s: %d has %g of all, expected %g", name, i, got, w/sum)
		}
	}
}

// searched compares Find with a binary search, around each prefix sum and at 1000 other numbers.
func searched(t *testing.T, name string, c index.Cumulative) {
	n := len(c.Sums) - 1
	var at []uint64
	for k := range uint64(1000) {
		at = append(at, c.Total()/1000*k)
	}
	for _, s := range c.Sums {
		at = append(at, s, s-1)
	}
	for _, r := range at {
		if r >= c.Total() {
			continue
		}
		want := sort.Search(n, func(i int) bool { return c.Sums[i+1] > r })
		if got := c.Find(r); got != uint64(want) {
			t.Fatalf("%s: %d of %d is in %d, expected %d", name, r, c.Total(), got, want)
		}
	}
}

func TestRowSharesAreTheSumsUpToTheRows(t *testing.T) {
	g := graphtest.Thicket(false)
	defer g.Close()
	edges, err := index.EdgeShares(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.RowSharesOf(g, graph.Options{Job: &job.Job{Stop: 1}}); err == nil || index.RowSharesTable.Built(g) {
		t.Error("a stopped job built the table")
	}
	rows, err := index.RowSharesOf(g, graph.Options{Threads: 3})
	if err != nil || len(rows) != g.NumVertices()+1 || index.RowSharesTable.Bytes(g) != 8*int64(len(rows)) || !index.RowSharesTable.Built(g) {
		t.Fatalf("%d sums of %d vertices: %v", len(rows), g.NumVertices(), err)
	}
	sum := uint64(0)
	for u := range uint32(g.NumVertices()) {
		if rows[u] != sum {
			t.Errorf("the row of %d begins at %d, expected %d", u, rows[u], sum)
		}
		first, end := g.Row(u)
		for position := first; position < end; position++ {
			sum += edges.Bias(position)
		}
	}
	if rows[g.NumVertices()] != edges.Total() {
		t.Errorf("the total is %d, expected %d", rows[g.NumVertices()], edges.Total())
	}
}

func TestSource(t *testing.T) {
	g := graphtest.Thicket(false)
	for u := range uint32(g.NumVertices()) {
		for position := g.Indptr[u]; position < g.Indptr[u+1]; position++ {
			if got := g.Source(position); got != u {
				t.Errorf("edge %d comes from %d, expected %d", position, got, u)
			}
		}
	}
}
