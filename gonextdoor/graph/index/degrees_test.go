package index_test

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

func TestDegreesAreThoseOfTheRows(t *testing.T) {
	g := graphtest.Thicket(true)
	defer g.Close()
	if _, err := index.DegreesOf(g, graph.Options{Job: &job.Job{Stop: 1}}); err == nil || index.DegreesTable.Built(g) {
		t.Error("a stopped job built the table")
	}
	degrees, err := index.DegreesOf(graph.NewView(g), graph.Options{Threads: 3})
	if err != nil || len(degrees) != g.NumVertices() || index.DegreesTable.Bytes(g) != 4*int64(len(degrees)) || !index.DegreesTable.Built(g) {
		t.Fatalf("%d degrees of %d vertices: %v", len(degrees), g.NumVertices(), err)
	}
	for u, degree := range degrees {
		if uint64(degree) != g.Degree(uint32(u)) {
			t.Errorf("vertex %d has %d edges, expected %d", u, degree, g.Degree(uint32(u)))
		}
	}
}

func TestBiasedDegreesCountPositiveBiases(t *testing.T) {
	g := graphtest.Thicket(true)
	defer g.Close()
	g.Biases[0], g.Biases[g.NumEdges()-1] = 0, 0
	if _, err := index.BiasedDegreesOf(g, graph.Options{Job: &job.Job{Stop: 1}}); err == nil || index.BiasedDegreesTable.Built(g) {
		t.Error("a stopped job built the table")
	}
	counts, err := index.BiasedDegreesOf(g, graph.Options{Threads: 2})
	if err != nil || len(counts) != g.NumVertices() || index.BiasedDegreesTable.Bytes(g) != 4*int64(len(counts)) {
		t.Fatalf("%d counts of %d vertices: %v", len(counts), g.NumVertices(), err)
	}
	for u, count := range counts {
		first, end := g.Row(uint32(u))
		want := uint32(0)
		for _, bias := range g.Biases[first:end] {
			want += min(bias, 1)
		}
		if count != want {
			t.Errorf("vertex %d has %d edges with a bias, expected %d", u, count, want)
		}
	}
}

// A table can be read without building it.
func TestTablesThatAreNotBuilt(t *testing.T) {
	g := graphtest.Labelled(graphtest.Thicket(true))
	defer g.Close()
	reach, built := index.ReachNow(g, true)
	if rows := index.LabelRowsNow(g); reach != nil || built || rows.Indices != nil || index.SegmentsNow(g).Totals != nil {
		t.Error("a table exists before it is built")
	}
	kinds, err := index.LabelKinds(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := index.LabelRowsOf(g, g.NumEdges(), graph.Options{})
	if now := index.LabelRowsNow(graph.NewView(g)); err != nil || len(kinds) != 3 || len(rows.Kinds) != 3 || &now.Indices[0] != &rows.Indices[0] {
		t.Errorf("labels %v, expected %v: %v", kinds, rows.Kinds, err)
	}
	table, err := index.ReachOf(g, true, graph.Options{})
	if reach, built = index.ReachNow(g, true); err != nil || !built || &reach[0] != &table[0] {
		t.Errorf("reach: %v, %v", built, err)
	}
	segments, err := index.SegmentsOf(g, graph.Options{})
	if now := index.SegmentsNow(g); err != nil || &now.Sums[0] != &segments.Sums[0] || &now.Totals[0] != &segments.Totals[0] {
		t.Errorf("sums of segments: %v", err)
	}
}
