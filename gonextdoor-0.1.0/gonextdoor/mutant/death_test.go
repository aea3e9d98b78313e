package mutant

import (
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
)

// A mutant that one check kills with certainty is dead, even if a check without certainty has a wider margin.
func TestOneSureCheckIsEnough(t *testing.T) {
	var d death
	d.add("sure", stattest.Result{Impossible: "5 0 0", Log10P: -20})
	d.add("wide", stattest.Result{Log10P: -5000, Distance: 0.07, Detects: 0.08})
	if !d.sure() || d.check != "sure" || d.failed != 2 {
		t.Errorf("got %+v, expected the sure one of 2", d)
	}
	d.add("both", stattest.Result{Log10P: -500, Distance: 0.09, Detects: 0.08})
	if d.check != "both" {
		t.Errorf("got %q, expected the widest margin of those that are sure", d.check)
	}
}
