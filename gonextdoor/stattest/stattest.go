// Package stattest compares what a sampler draws with the exact law of what it should draw.
//
// The test is Cochran's G-test on counts, with a bound of its p-value that holds for every number of draws and cells: no
// asymptotics, so a p-value of 5e-13 means what it says. A whole run of all tests raises a false alarm with probability
// FalseAlarm at most, if the random words are ideal; seeds are fixed, so the alarm would be raised once, not now and then.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package stattest

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// The family of tests shares one false-alarm rate (Bonferroni).
const (
	FalseAlarm = 1e-9                  // of a whole run, all packages together
	MaxTests   = 2000                  // in a whole run
	Alpha      = FalseAlarm / MaxTests // of each test
	// PerPackage is how many tests one package may make, so that MaxTests/PerPackage packages fit in the family.
	PerPackage = 500
)

var made atomic.Int64

// Assert fails t if the result contradicts its law. It counts as one test of the family.
func Assert(t testing.TB, name string, r Result) {
	t.Helper()
	if made.Add(1) > PerPackage {
		t.Fatalf("more than %d tests in one package: the family's false-alarm rate no longer holds", PerPackage)
	}
	if r.Failed() {
		t.Errorf("%s: %v", name, r)
		return
	}
	t.Logf("%s: %v", name, r)
}

// Result is the outcome of one comparison.
type Result struct {
	Draws      int
	Cells      int     // after pooling
	G          float64 // twice the log-likelihood ratio
	Log10P     float64 // an upper bound of the p-value, as its decimal logarithm
	Distance   float64 // total variation between the counts and the law, pooled
	Detects    float64 // any law at least this far from the right one fails with probability Power
	Impossible string  // an outcome of probability 0 that was drawn, or ""
}

// Failed says whether the draws contradict the law: p below Alpha, or an outcome that cannot be.
func (r Result) Failed() bool { return r.Impossible != "" || r.Log10P < log10Alpha }

// String describes the result.
func (r Result) String() string {
	if r.Impossible != "" {
		return fmt.Sprintf("drew %q, which has probability 0", r.Impossible)
	}
	return fmt.Sprintf("%d draws, %d cells, G %.1f, p <= 10^%.1f, distance %.4f, sure to see %.4f",
		r.Draws, r.Cells, r.G, r.Log10P, r.Distance, r.Detects)
}
