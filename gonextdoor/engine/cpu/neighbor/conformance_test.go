package neighbor_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
)

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

func workspaces(narrow, sparse bool) enginetest.NewSampler {
	return func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		w, err := neighbor.NewWorkspaces(h)
		if err != nil {
			return nil, nil, err
		}
		w.Narrow, w.Sparse = narrow, sparse
		return w, w.Close, nil
	}
}
