package apps_test

import (
	"testing"

	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/internal/stattest"
)

func TestNegTmp(t *testing.T) {
	results := map[string][]stattest.Result{}
	for _, k := range []string{"Negatives", "NegativePairs"} {
		for _, c := range apptest.Checks()[k] {
			r := c.Run(c.App.Sample)
			stattest.Assert(t, c.Name, r)
			results[k] = append(results[k], r)
		}
	}
	checkDocs(t, results)
}
