// Package enginetest is the one suite that every engine runs: whatever the threads, the split into batches, the ids of
// the samples, the outputs asked for and the tables used, each row equals the app's serial definition.
package enginetest

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/offheap"
)

// Run runs all cases in all variants.
func Run(t *testing.T, newEngine func() engine.Engine) {
	RunThose(t, newEngine, func(Case) bool { return true })
}

// RunThose runs the cases that are wanted in all variants.
func RunThose(t *testing.T, newEngine func() engine.Engine, wanted func(c Case) bool) {
	variants := Variants(testing.Short())
	for _, c := range Cases() {
		if !wanted(c) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			lent := offheap.Results.Out()
			for _, v := range variants {
				if err := c.Check(newEngine(), v); err != nil {
					t.Fatalf("%v: %v", v, err)
				}
			}
			if err := c.CheckStop(newEngine()); err != nil {
				t.Error(err)
			}
			if n := offheap.Results.Out(); n != lent {
				t.Errorf("%d results are lent, %d were before", n, lent)
			}
		})
	}
}
