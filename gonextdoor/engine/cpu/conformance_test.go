package cpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} })
}

func TestConformanceWithoutAssembly(t *testing.T) {
	enginetest.RunThose(t, func() engine.Engine { return cpu.Engine{Pure: true} }, staged)
}

func TestConformanceWithoutAVX512(t *testing.T) {
	enginetest.RunThose(t, func() engine.Engine { return cpu.Engine{Narrow: true} }, staged)
}

// staged says whether the app's driver has loops in assembly.
func staged(c enginetest.Case) bool {
	driver := app.Specs[c.App.Name()].Driver
	return driver != plan.Hooked && driver != plan.Whole
}

func TestBatchConformance(t *testing.T) {
	enginetest.RunBatches(t, workspaces(false, false))
}

func TestBatchConformanceWithoutAVX512(t *testing.T) {
	enginetest.RunThoseBatches(t, workspaces(true, false), func(c enginetest.BatchCase) bool { return c.App.Temporal == "" })
}

func TestBatchConformanceInHashTables(t *testing.T) {
	enginetest.RunThoseBatches(t, workspaces(false, true), func(c enginetest.BatchCase) bool { return !c.App.Disjoint })
}

func TestRandomBatches(t *testing.T) {
	batches := 200
	if testing.Short() {
		batches = 30
	}
	for _, narrow := range []bool{false, true} {
		for _, sparse := range []bool{false, true} {
			enginetest.RunRandomBatches(t, workspaces(narrow, sparse), batches, func(enginetest.BatchCase) bool { return true })
		}
	}
}

func workspaces(narrow, sparse bool) enginetest.NewBatches {
	return func(h *graph.Hetero) (enginetest.Batches, func(), error) {
		w, err := cpu.NewWorkspaces(h)
		if err != nil {
			return nil, nil, err
		}
		w.Narrow, w.Sparse = narrow, sparse
		return w, w.Close, nil
	}
}
