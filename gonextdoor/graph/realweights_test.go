package graph

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

func TestRealWeightsAreTheEdges(t *testing.T) {
	live := offheap.Live()
	g := full(t, false)
	if _, err := g.RealWeights(Hands{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Fatalf("stopped: got %v", err)
	}
	weights, err1 := g.RealWeights(Hands{})
	largest, err2 := g.LargestWeights(Hands{Threads: 2})
	prefix, err3 := g.PrefixWeights(Hands{Threads: 1})
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
	if again, _ := g.RealWeights(Hands{}); &again[0] != &weights[0] {
		t.Error("the weights were made again")
	}
	g.Close()
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays live, %d before", n, live)
	}
}

func TestAGraphWithoutWeightsHasNoRealOnes(t *testing.T) {
	g := full(t, false)
	defer g.Close()
	g.Biases = nil
	if w, err := g.RealWeights(Hands{}); w != nil || err != nil {
		t.Errorf("got %v, %v", w, err)
	}
}
