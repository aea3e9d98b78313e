// Package enginetest is the conformance suite of engines: for all numbers of threads, splits into batches, ids of samples,
// outputs and tables, each row must equal the serial definition of the app.
package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/offheap"
)

// Any selects every case.
func Any(Case) bool { return true }

// Run compares the engine with the definitions, for each pair of a selected case and a variant in the share.
func Run(t *testing.T, newEngine func() engine.Engine, wanted func(c Case) bool, share *Share) {
	Engines{"": newEngine}.run(t, wanted, share, false)
}

// Engines maps names to engines to be tested, such as one engine with several settings.
type Engines map[string]func() engine.Engine

// Run is the function Run for all engines. The definition of a case is computed once for all of them.
func (e Engines) Run(t *testing.T, wanted func(c Case) bool, share *Share) {
	e.run(t, wanted, share, false)
}

// RunInParallel is Run with a case of an app per CPU core at a time, for engines that take most of the time to wait.
func (e Engines) RunInParallel(t *testing.T, wanted func(c Case) bool, share *Share) {
	lent := offheap.Results.Out()
	e.run(t, wanted, share, true)
	if n := offheap.Results.Out(); n != lent {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}

// selected is a case with the variants that a share has of it, by the name of the engine.
type selected struct {
	Case
	variants map[string][]Variant
}

// run checks all cases, in a subtest per app. In parallel, results of other cases are lent at the same time, so the caller
// counts them.
func (e Engines) run(t *testing.T, wanted func(c Case) bool, share *Share, parallel bool) {
	// 1. Select all cases first: a Share is for one goroutine, and which pairs it has must not depend on go test -run.
	var apps []string
	cases := map[string][]selected{}
	for _, c := range Cases() {
		if !wanted(c) {
			continue
		}
		app := c.App.Name()
		if cases[app] == nil {
			apps = append(apps, app)
		}
		cases[app] = append(cases[app], selected{c, e.shareOf(share)})
	}
	// 2. Check them.
	for _, app := range apps {
		t.Run(app, func(t *testing.T) {
			for _, c := range cases[app] {
				t.Run(c.Name, func(t *testing.T) { e.runCase(t, c, share, parallel) })
			}
		})
	}
}

// shareOf returns the variants of the next case that are in the share, by the name of the engine.
func (e Engines) shareOf(share *Share) map[string][]Variant {
	taken := map[string][]Variant{}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		for _, v := range Variants(testing.Short()) {
			if share.Takes() {
				taken[name] = append(taken[name], v)
			}
		}
	}
	return taken
}

// runCase checks the variants of one case.
func (e Engines) runCase(t *testing.T, c selected, share *Share, parallel bool) {
	if parallel {
		t.Parallel()
	}
	defer clear(c.known) // the rows of all cases together are gigabytes
	lent := offheap.Results.Out()
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if err := c.checkEngine(e[name], c.variants[name]); err != nil {
			t.Fatalf("%s: %v (%v)", name, err, share)
		}
	}
	if n := offheap.Results.Out(); n != lent && !parallel {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}

// checkEngine checks variants of a case, and that a job can be stopped.
func (c Case) checkEngine(newEngine func() engine.Engine, variants []Variant) error {
	for _, v := range variants {
		if err := c.Check(newEngine(), v); err != nil {
			return fmt.Errorf("%v: %w", v, err)
		}
	}
	return c.CheckStop(newEngine())
}
