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
	share := enginetest.NewShare(t, 4)
	enginetest.RunThoseBatches(t, newSamplerOf(true, false), func(c enginetest.BatchCase) bool {
		return c.App.Temporal == "" && share.Takes()
	})
}

func TestBatchConformanceInHashTables(t *testing.T) {
	share := enginetest.NewShare(t, 4)
	enginetest.RunThoseBatches(t, newSamplerOf(false, true), func(c enginetest.BatchCase) bool {
		return !c.App.Disjoint && share.Takes()
	})
}

func TestRandomBatches(t *testing.T) {
	share := enginetest.NewShare(t, 9)
	for _, noAVX512 := range []bool{false, true} {
		for _, hash := range []bool{false, true} {
			enginetest.RunRandomBatches(t, newSamplerOf(noAVX512, hash), 200, func(enginetest.BatchCase) bool { return share.Takes() })
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
