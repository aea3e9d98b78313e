package app_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

func TestMaximaNeedACompiledBiasOfTheRow(t *testing.T) {
	g := graphtest.Diamond(true)
	kernels := hook.Kernels{EdgeBias: 1, RowBias: 1}
	for what, a := range map[string]*app.Custom{
		"no kernel":              {},
		"the previous vertex":    {Kernels: kernels, Reads: hook.Prev | hook.Transit},
		"random words":           {Kernels: kernels, Reads: hook.Key | hook.Words},
		"times that are missing": {Kernels: kernels, Reads: hook.Times},
	} {
		if _, err := a.BeginRows(g, graph.Options{}); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%s: got %v, expected a refusal", what, err)
		}
	}
	if rows, err := (&app.Custom{Kernels: kernels, Reads: hook.Weights}).BeginRows(g, graph.Options{}); err != nil || rows.Faulty() {
		t.Errorf("got %v", err)
	}
}
