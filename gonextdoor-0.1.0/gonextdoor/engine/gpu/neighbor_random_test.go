package gpu_test

import (
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/graph"
)

func TestRandomMiniBatches(t *testing.T) {
	d, batches := device(t), 40
	if !cudatest.Real() {
		batches = 12
	}
	share := deviceShare(t, 19)
	for _, name := range slices.Sorted(maps.Keys(batchTunings)) {
		variant := batchTunings[name]
		t.Run(name, func(t *testing.T) {
			enginetest.RunRandomBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
				n := gpu.NewNeighborSampler(gpu.Engine{Device: d, Tuning: variant.tuning}, h)
				return gputest.Drawer{NeighborSampler: n, Others: variant.others}, n.Close, nil
			}, batches, func(enginetest.BatchCase) bool { return share.Takes() })
		})
	}
}
