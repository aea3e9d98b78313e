package mutant

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/internal/stattest"
)

// The sources of faults.
const (
	csaw      = "C-SAW (SC'20), as published"
	nextDoor  = "NextDoor (EuroSys'21), as published"
	published = "seen in published samplers"
	likely    = "common mistake"
)

// mutant is one fault in the apps of one kind.
type mutant struct {
	name, source string
	of           func(a app.App) apptest.Sampler // nil: the app cannot have this fault
}

// batchMutant is one fault in mini-batches.
type batchMutant struct {
	name, source string
	of           func(a *app.NeighborSampling) apptest.BatchSampler
}

// death describes how a mutant was killed.
type death struct {
	check  string
	result stattest.Result
	failed int // number of checks that failed
	checks int
}

func (d *death) add(check string, r stattest.Result) {
	d.checks++
	if !r.Failed() {
		return
	}
	d.failed++
	// The report names the check that the mutant fails with the widest margin, of those certain to detect it.
	// Distances take precedence over impossible outcomes.
	now, before := certain(r), d.sure()
	if d.failed == 1 || now && !before || now == before && margin(r) > margin(d.result) {
		d.check, d.result = check, r
	}
}

// enough reports that no further check is needed: short runs stop at the first that detects the mutant with certainty.
func (d *death) enough() bool { return testing.Short() && d.failed > 0 && d.sure() }

// sure reports whether some check found a difference that it detects with certainty.
func (d *death) sure() bool { return certain(d.result) }

func certain(r stattest.Result) bool { return r.Impossible != "" || r.Distance >= r.Detects }

func margin(r stattest.Result) float64 {
	if r.Impossible != "" {
		return 0
	}
	return -r.Log10P
}

func (d death) evidence() string {
	if d.result.Impossible != "" {
		return fmt.Sprintf("impossible: %.60s", d.result.Impossible)
	}
	return fmt.Sprintf("p <= 10^%.0f, distance %.3f (detects %.3f)", d.result.Log10P, d.result.Distance, d.result.Detects)
}

// Every mutant is killed, by a difference larger than the smallest that its check detects, or by an outcome that
// cannot be; and the same copy without the fault passes every check. A short run has one mutant in 13, and one copy in 13.
func TestMutantsOfDefinitions(t *testing.T) {
	out, share := newResults(t, "definitions", countedColumns), enginetest.NewShare(t, 13)
	checks := apptest.Checks()
	for _, m := range mutants() {
		if share.Takes() {
			report(t, out, m.name, m.source, runAll(checks, m.of, efforts()))
		}
	}
	batches := apptest.BatchChecks()
	for _, m := range batchMutants {
		if share.Takes() {
			report(t, out, m.name, m.source, runBatches(batches, m.of, efforts()))
		}
	}
}

func TestCopiesWithoutFaultPass(t *testing.T) {
	checks, share, once := apptest.Checks(), enginetest.NewShare(t, 13), []int{1}
	for _, name := range slices.Sorted(maps.Keys(sound)) {
		if !share.Takes() {
			continue
		}
		if d := runAll(checks, sound[name], once); d.failed > 0 || d.checks == 0 {
			t.Errorf("%s without a fault fails %d of %d checks, as %s: %v", name, d.failed, d.checks, d.check, d.result)
		}
	}
	if !share.Takes() {
		return
	}
	if d := runBatches(apptest.BatchChecks(), batchBy(batchFault{}), once); d.failed > 0 || d.checks == 0 {
		t.Errorf("mini-batch without a fault fails %d of %d checks, as %s: %v", d.failed, d.checks, d.check, d.result)
	}
}

// efforts returns the divisors of the number of draws, in the order in which they are tried. Short runs try a tenth first,
// which detects most faults.
func efforts() []int {
	if testing.Short() {
		return []int{10, 1}
	}
	return []int{1}
}

func runAll(checks map[string][]apptest.Check, of func(app.App) apptest.Sampler, parts []int) (d death) {
	for _, part := range parts {
		for _, name := range slices.Sorted(maps.Keys(checks)) {
			for _, c := range checks[name] {
				c.Draws = max(c.Draws/part, min(c.Draws, 100))
				if sampler := of(c.App); sampler != nil && !d.enough() {
					d.add(c.Name, c.Run(sampler))
				}
			}
		}
	}
	return d
}

func runBatches(checks []apptest.BatchCheck, of func(*app.NeighborSampling) apptest.BatchSampler, parts []int) (d death) {
	for _, part := range parts {
		for _, c := range checks {
			c.Draws = max(c.Draws/part, min(c.Draws, 100))
			if sampler := of(c.App); !d.enough() {
				d.add(c.Name, c.Run(sampler))
			}
		}
	}
	return d
}

func report(t *testing.T, out *results, name, source string, d death) {
	t.Helper()
	out.add(name, source, fmt.Sprintf("%d of %d", d.failed, d.checks), d.check, d.evidence())
	switch {
	case d.failed == 0:
		t.Errorf("%s: alive after %d checks", name, d.checks)
	case !d.sure():
		t.Errorf("%s: its difference %.4f is smaller than %.4f, the smallest that the check detects with certainty", name, d.result.Distance, d.result.Detects)
	}
}
