package neighbor_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
)

func TestBatchConformance(t *testing.T) {
	enginetest.RunBatches(t, newSamplerOf(false, false))
}

func TestBatchConformanceWithoutAVX512(t *testing.T) {
	enginetest.RunThoseBatches(t, newSamplerOf(true, false), func(c enginetest.BatchCase) bool { return c.App.Temporal == "" })
}

func TestBatchConformanceInHashTables(t *testing.T) {
	enginetest.RunThoseBatches(t, newSamplerOf(false, true), func(c enginetest.BatchCase) bool { return !c.App.Disjoint })
}

func TestRandomBatches(t *testing.T) {
	batches := 200
	if testing.Short() {
		batches = 30
	}
	for _, noAVX512 := range []bool{false, true} {
		for _, hash := range []bool{false, true} {
			enginetest.RunRandomBatches(t, newSamplerOf(noAVX512, hash), batches, func(enginetest.BatchCase) bool { return true })
		}
	}
}

func newSamplerOf(noAVX512, hash bool) enginetest.NewSampler {
	return func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		w, err := neighbor.NewSampler(h)
		if err != nil {
			return nil, nil, err
		}
		w.NoAVX512, w.HashIDs = noAVX512, hash
		return w, w.Close, nil
	}
}
