// Package enginetest is the conformance suite of engines: for all numbers of threads, splits into batches, ids of samples,
// outputs and tables, each row must equal the serial definition of the app.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package enginetest

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/offheap"
)

// Any selects every case.
func Any(Case) bool { return true }

// Run compares the engine with the definitions, for each pair of a selected case and a variant in the share.
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
