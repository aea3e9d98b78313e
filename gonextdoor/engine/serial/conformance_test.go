package serial_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
)

// Rows are the definition's by construction, and only the assembly of the result can be wrong, so that a short run has few
// variants.
func TestConformance(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return serial.Engine{} }, enginetest.Any, enginetest.NewShare(t, 51))
}

func TestBatchConformance(t *testing.T) {
	share := enginetest.NewShare(t, 8)
	enginetest.RunThoseBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		return serial.Batches{Graph: h}, func() {}, nil
	}, func(enginetest.BatchCase) bool { return share.Takes() })
}

func TestRootTimes(t *testing.T) { enginetest.RootTimes(t, serial.Engine{}) }
