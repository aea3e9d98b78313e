package serial_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
)

func TestConformance(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 6
	}
	enginetest.RunEvery(t, func() engine.Engine { return serial.Engine{} }, enginetest.Any, every)
}

func TestBatchConformance(t *testing.T) {
	enginetest.RunBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		return serial.Batches{Graph: h}, func() {}, nil
	})
}
