package cpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} })
}

func TestConformanceWithoutAssembly(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{Pure: true} })
}

func TestConformanceWithoutAVX512(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{Narrow: true} })
}

func TestBatchConformance(t *testing.T) {
	enginetest.RunBatches(t, func(g *graph.Graph) (enginetest.Batches, func(), error) {
		w, err := cpu.NewWorkspaces(g)
		if err != nil {
			return nil, nil, err
		}
		return w, w.Close, nil
	})
}
