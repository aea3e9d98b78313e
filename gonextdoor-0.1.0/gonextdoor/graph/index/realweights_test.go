package index

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

func TestRealWeightsAreTheEdges(t *testing.T) {
	live := offheap.Live()
	g := graphtest.Full(t, false)
	if _, err := RealWeights(g, graph.Options{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Fatalf("stopped: got %v", err)
	}
	weights, err1 := RealWeights(g, graph.Options{})
	largest, err2 := LargestWeights(g, graph.Options{Threads: 2})
	prefix, err3 := PrefixWeights(g, graph.Options{Threads: 1})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for u := range uint32(g.NumVertices()) {
		first, end := g.Row(u)
		most, sum := 0.0, 0.0
		for p := first; p < end; p++ {
			w := g.Weight(u, p)
			most, sum = max(most, w), sum+w
			if weights[p] != w || prefix[p] != sum {
				t.Fatalf("edge %d: weight %v and sum %v, expected %v and %v", p, weights[p], prefix[p], w, sum)
			}
		}
		if largest[u] != most {
			t.Fatalf("vertex %d: largest %v, expected %v", u, largest[u], most)
		}
	}
	if again, _ := RealWeights(g, graph.Options{}); &again[0] != &weights[0] {
		t.Error("the weights were made again")
	}
	g.Close()
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays live, %d before", n, live)
	}
}

func TestAGraphWithoutWeightsHasNoRealOnes(t *testing.T) {
	g := graphtest.Full(t, false)
	defer g.Close()
	g.Biases = nil
	if w, err := RealWeights(g, graph.Options{}); w != nil || err != nil {
		t.Errorf("got %v, %v", w, err)
	}
}
