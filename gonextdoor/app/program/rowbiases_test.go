package program_test

import (
	"testing"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

func TestMaximaNeedACompiledBiasOfTheRow(t *testing.T) {
	g := graphtest.Diamond(true)
	kernels := hook.Kernels{EdgeBias: 1, RowBias: 1}
	for what, a := range map[string]*program.Custom{
		"no kernel":              {},
		"the previous vertex":    {Kernels: kernels, Reads: hook.Prev | hook.Transit},
		"random words":           {Kernels: kernels, Reads: hook.Key | hook.Words},
		"times that are missing": {Kernels: kernels, Reads: hook.Times},
	} {
		if _, err := program.BeginRows(a, g, graph.Options{}); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%s: got %v, expected a refusal", what, err)
		}
	}
	if rows, err := program.BeginRows(&program.Custom{Kernels: kernels, Reads: hook.Weights}, g, graph.Options{}); err != nil || rows.Faulty() {
		t.Errorf("got %v", err)
	}
}
