package index

import (
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

func TestProbesAreChoicesOfTheGraph(t *testing.T) {
	g := graphtest.Full(t, false)
	defer g.Close()
	if _, err := Probes(g, 50, graph.Options{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Fatalf("stopped: got %v", err)
	}
	probes, err := Probes(g, 50, graph.Options{Threads: 2})
	again, _ := Probes(g, 50, graph.Options{Threads: 1})
	if err != nil || len(probes) != 50 || !slices.Equal(probes, again) {
		t.Fatalf("%d probes, %v; with one thread %d", len(probes), err, len(again))
	}
	for i, p := range probes {
		position := uint64(4*i + 2) // of 200 edges
		first, end := g.Row(p.Transit)
		if position < first || position >= end || g.Indices[position] != p.Candidate || g.EdgeID(position) != p.ID {
			t.Fatalf("probe %d: %+v is not the edge at %d", i, p, position)
		}
		most := 0.0
		for e := first; e < end; e++ {
			most = max(most, g.Weight(p.Transit, e))
		}
		if p.Weight != g.Weight(p.Transit, position) || p.Largest != most || p.Label != g.Labels[position] {
			t.Errorf("probe %d: %+v", i, p)
		}
		if !g.HasEdge(p.Transit, p.Previous) || p.Near != g.HasEdge(p.Previous, p.Candidate) {
			t.Errorf("probe %d: %+v", i, p)
		}
		if p.TransitDegree != end-first || p.CandidateDegree != g.Degree(p.Candidate) || p.PreviousDegree != g.Degree(p.Previous) {
			t.Errorf("probe %d: %+v", i, p)
		}
	}
	none, err := Probes(&graph.Graph{Indptr: make([]uint64, 4)}, 50, graph.Options{})
	if none != nil || err != nil {
		t.Errorf("without edges: %v, %v", none, err)
	}
}
