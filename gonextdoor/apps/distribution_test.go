package apps_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/internal/stattest"
)

// The serial definition of every app draws from its exact distribution.
// A short run has the checks of one app in 3, with all draws and the same seeds every day: each check keeps its power, and an
// error is found within 3 days. The apps of a kind, such as "DeepWalk, computed", are one app here.
func TestDistributions(t *testing.T) {
	checks, share := apptest.Checks(), enginetest.NewShare(t, 3)
	for name := range apps.Specs {
		if len(checks[name]) == 0 {
			t.Errorf("%s has no exact distribution to be compared with", name)
		}
	}
	kinds := map[string][]apptest.Check{}
	for kind, all := range checks {
		name, _, _ := strings.Cut(kind, ",") // as "DeepWalk" or "DeepWalk, computed"
		kinds[name] = append(kinds[name], all...)
	}
	results := map[string][]stattest.Result{}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if !share.Takes() {
			continue
		}
		for _, c := range kinds[name] {
			r := c.Run(c.App.Sample)
			stattest.Assert(t, c.Name, r)
			results[name] = append(results[name], r)
		}
	}
	checkDocs(t, results)
}

func TestBatchDistributions(t *testing.T) {
	share := enginetest.NewShare(t, 3)
	for _, c := range apptest.BatchChecks() {
		if share.Takes() {
			stattest.Assert(t, c.Name, c.Run(c.App.Sample))
		}
	}
}

func TestRankDistributions(t *testing.T) {
	for _, c := range apptest.RankChecks() {
		stattest.Assert(t, c.Name, c.Run((*app.PageRank).Walk))
	}
}
