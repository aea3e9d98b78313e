package plan

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// The CPU makes few samples of a split graph, unless it lacks a table of all edges or the batch has an order.
func TestTheCPUMakesFewSamplesOfSplitGraphs(t *testing.T) {
	g := graphtest.Star(10, true)
	defer g.Close()
	gpu := func(samples int, weighted app.Weighted, order Order) bool {
		p, err := New(&apps.DeepWalk{Length: 80, Weighted: weighted}, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		return Batch{Roots: Roots{Count: samples, Width: 1, Repeat: 1}, Threads: 1, Order: order}.Split(p).GPU
	}
	if gpu(1, app.No, "") || !gpu(1, app.No, SampleOrder) || !gpu(100_000, app.No, "") || !gpu(1, app.Yes, "") {
		t.Error("wrong choices without alias tables")
	}
	if err := index.BuildAlias(g, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if gpu(1, app.Yes, "") {
		t.Error("a GPU makes a sample although alias tables exist")
	}
}
