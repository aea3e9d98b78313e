package apps_test

import (
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/internal/stattest"
)

// The serial definition of every app draws from its exact distribution.
func TestDistributions(t *testing.T) {
	checks := apptest.Checks()
	for name := range apps.Specs {
		if len(checks[name]) == 0 {
			t.Errorf("%s has no exact distribution to be compared with", name)
		}
	}
	results := map[string][]stattest.Result{}
	for kind, all := range checks {
		name, _, _ := strings.Cut(kind, ",") // as "DeepWalk" or "DeepWalk, computed"
		for _, c := range all {
			r := c.Run(c.App.Sample)
			stattest.Assert(t, c.Name, r)
			results[name] = append(results[name], r)
		}
	}
	checkDocs(t, results)
}

func TestBatchDistributions(t *testing.T) {
	for _, c := range apptest.BatchChecks() {
		stattest.Assert(t, c.Name, c.Run(c.App.Sample))
	}
}

func TestRankDistributions(t *testing.T) {
	for _, c := range apptest.RankChecks() {
		stattest.Assert(t, c.Name, c.Run((*app.PageRank).Walk))
	}
}
