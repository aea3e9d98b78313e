package graph

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// A table whose making is stopped leaves nothing, and is made by the next who needs it.
func TestStoppedHandsLeaveNothing(t *testing.T) {
	stopped := Hands{Job: &job.Job{Stop: 1}}
	g := full(t, false)
	defer g.Close()
	live := offheap.Live()
	mapped, err := Adopt(g.Arrays(), Numbers{})
	if err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(Hands) error{
		"alias tables": g.MakeAliasBy,
		"edge set":     func(h Hands) error { _, err := g.EdgeSet(g.NumEdges(), h); return err },
		"symmetry":     func(h Hands) error { _, err := mapped.SymmetricBy(h); return err },
		"validation":   mapped.ValidateBy,
	} {
		if err := make(stopped); !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("%s: error %v, expected %v", name, err, refuse.ErrInterrupted)
		}
		if n := offheap.Live(); n != live {
			t.Errorf("%s: %d arrays live, %d before", name, n, live)
		}
	}
	if mapped.Numbers().Checked {
		t.Error("a graph counts as checked whose check was stopped")
	}
	if err := errors.Join(g.MakeAlias(), mapped.Validate()); err != nil {
		t.Error(err)
	}
}
