// Package stattest tests whether samples have an exactly known distribution.
//
// The test is Cochran's G-test on counts, with an upper bound of the p-value that holds for every number of draws and cells.
// It is not asymptotic, so p-values as small as 5e-13 are valid. A run of all tests raises a false alarm with probability at
// most FalseAlarm if the random words are ideal. Seeds are fixed, so a false alarm would occur in every run or in none.
package stattest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
)

// The error rates. All tests together share one false-alarm rate (Bonferroni).
const (
	FalseAlarm = 1e-9                  // of a whole run, all packages together
	MaxTests   = 2000                  // of a whole run
	Alpha      = FalseAlarm / MaxTests // of each test
)

// Budgets has the largest number of tests of each package that may call Assert, by its folder. They add up to MaxTests.
var Budgets = map[string]int64{"apps": 1500, "selector": 400, "rng": 100}

// made is the number of tests that this process has made. A process tests one package.
var made atomic.Int64

// Assert fails t if the result contradicts its distribution. It counts as one test of the family.
func Assert(t testing.TB, name string, r Result) {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	folder := filepath.Base(filepath.Dir(file))
	if budget := Budgets[folder]; made.Add(1) > budget {
		t.Fatalf("package %s: more than %d tests; the family's false-alarm rate no longer holds", folder, budget)
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
	Distance   float64 // total variation distance between the counts and the distribution, pooled
	Detects    float64 // a sampler at least this far from the distribution fails with probability Power
	Impossible string  // an outcome of probability 0 that was drawn, or ""
}

// Failed reports whether the draws contradict the distribution: p is below Alpha, or an outcome of probability 0 was drawn.
func (r Result) Failed() bool { return r.Impossible != "" || r.Log10P < log10Alpha }

// String describes the result.
func (r Result) String() string {
	if r.Impossible != "" {
		return fmt.Sprintf("drew %q, which has probability 0", r.Impossible)
	}
	return fmt.Sprintf("%d draws, %d cells, G %.1f, p <= 10^%.1f, distance %.4f, detects %.4f",
		r.Draws, r.Cells, r.G, r.Log10P, r.Distance, r.Detects)
}
