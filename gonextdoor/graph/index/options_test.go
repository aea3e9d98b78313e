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

// A table whose construction is cancelled leaves no memory, and the next call builds it.
func TestCancelledBuildLeavesNothing(t *testing.T) {
	stopped := graph.Options{Job: &job.Job{Stop: 1}}
	g := graphtest.Full(t, false)
	defer g.Close()
	live := offheap.Live()
	mapped, err := graph.FromArrays(g.Arrays(), graph.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(graph.Options) error{
		"alias tables": func(o graph.Options) error { return BuildAlias(g, o) },
		"edge set":     func(h graph.Options) error { _, err := EdgeSetOf(g, g.NumEdges(), h); return err },
		"words":        func(h graph.Options) error { _, err := EndWordsOf(g, g.NumEdges(), h); return err },
		"symmetry":     func(h graph.Options) error { _, err := Symmetric(mapped, h); return err },
		"validation":   mapped.ValidateWith,
	} {
		if err := make(stopped); !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("%s: error %v, expected %v", name, err, refuse.ErrInterrupted)
		}
		if n := offheap.Live(); n != live {
			t.Errorf("%s: %d arrays live, %d before", name, n, live)
		}
	}
	if mapped.Summary().Checked {
		t.Error("a graph counts as checked whose check was stopped")
	}
	if err := errors.Join(BuildAlias(g, graph.Options{}), mapped.Validate()); err != nil {
		t.Error(err)
	}
}
