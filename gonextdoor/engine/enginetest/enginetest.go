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

// Any wants every case.
func Any(Case) bool { return true }

// Run compares the engine with the definition in each pair of a case that is wanted and a variant that is in the share.
func Run(t *testing.T, newEngine func() engine.Engine, wanted func(c Case) bool, share *Share) {
	variants := Variants(testing.Short())
	for _, c := range Cases() {
		if !wanted(c) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			lent := offheap.Results.Out()
			for _, v := range variants {
				if !share.Takes() {
					continue
				}
				if err := c.Check(newEngine(), v); err != nil {
					t.Fatalf("%v: %v (%v)", v, err, share)
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
