package app_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/stattest"
)

// Every app's serial definition draws by its exact law.
func TestLaw(t *testing.T) {
	checks := apptest.Checks()
	for name := range app.Apps {
		if len(checks[name]) == 0 {
			t.Errorf("%s has no exact law to be compared with", name)
		}
	}
	for _, all := range checks {
		for _, c := range all {
			stattest.Assert(t, c.Name, c.Run(c.App.Sample))
		}
	}
}

func TestBatchLaw(t *testing.T) {
	for _, c := range apptest.BatchChecks() {
		stattest.Assert(t, c.Name, c.Run(c.App.Sample))
	}
}
