package partition_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/partition"
)

// Walkers take along the neighbours of the vertex they leave that their first tries propose, and the next tries if they ask
// about a candidate. Without both, a step of these walks takes 1.32 messages if the graph is known to be symmetric, and 1.55
// otherwise; without the next tries 1.05 and 1.28.
func TestHintsSaveMessages(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 10, EdgeFactor: 16, Seed: 3, Symmetric: true, Threads: 1})
	roots := make([]uint32, 2000)
	for i := range roots {
		roots[i] = uint32(i % g.NumVertices())
	}
	c := walkCase{&apps.Node2Vec{P: 0.25, Q: 4, Length: 20}, 1}
	e := expected(t, g, c.app, roots, 1, 1, 0)
	steps := 0
	for _, row := range e.rows {
		steps += len(trimmed(row.Vertices, graph.None)) - 1
	}
	parts := split(t, g, ownersOf(g.NumVertices(), 4)["hash"], nil)
	for _, symmetric := range []bool{true, false} {
		for _, p := range parts {
			p.Whole.Symmetric = symmetric
		}
		compare(t, fmt.Sprintf("symmetric %v", symmetric), e, parts, c, roots, 1, 0)
		x := newExchange(t, parts, c.app, roots, 1, 1, 0, partition.Record{Ends: true})
		most := 1.0
		if !symmetric {
			most = 1.12
		}
		perStep := float64(x.messages) / float64(steps)
		t.Logf("symmetric %v: %.3f messages per step", symmetric, perStep)
		if perStep > most {
			t.Errorf("symmetric %v: %.3f messages per step, expected at most %v", symmetric, perStep, most)
		}
	}
}
