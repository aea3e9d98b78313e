// Package enginetest is the one suite that every engine runs: whatever the threads, the split into batches, the ids of
// the samples, the outputs asked for and the tables used, each row equals the app's serial definition.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package enginetest

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/offheap"
)

// Run runs all cases in all variants.
func Run(t *testing.T, newEngine func() engine.Engine) {
	RunEvery(t, newEngine, Any, 1)
}

// RunThose runs the cases that are wanted in all variants.
func RunThose(t *testing.T, newEngine func() engine.Engine, wanted func(c Case) bool) {
	RunEvery(t, newEngine, wanted, 1)
}

// Any wants every case.
func Any(Case) bool { return true }

// RunEvery runs each case that is wanted in one of so many variants, the next case in the next ones: where another run
// has all variants, or an engine's rows are the definition's by construction, so that only what puts them together can be
// wrong.
func RunEvery(t *testing.T, newEngine func() engine.Engine, wanted func(c Case) bool, every int) {
	variants := Variants(testing.Short())
	for i, c := range Cases() {
		if !wanted(c) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			lent := offheap.Results.Out()
			for k, v := range variants {
				if (k+i)%every != 0 {
					continue
				}
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
		clear(c.known) // the rows of all cases together are gigabytes
	}
}
