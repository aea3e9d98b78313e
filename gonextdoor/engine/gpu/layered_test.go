package gpu_test

import (
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/plan"
)

// layeredTunings are the tunings that matter to layered samples: each group of threads, workspaces and arenas that are too
// small at first, and many launches. On the emulated driver, breadth-first samples take milliseconds each, so no launch has
// all of thousands.
var layeredTunings = map[string]gpu.Tuning{
	"as planned":       {LaunchSteps: 1 << 17},
	"other groups":     {Variant: 1, LaunchSteps: 1 << 17},
	"tiny workspaces":  {LayeredCapacity: 1, LaunchSteps: 1 << 17},
	"tiny arenas":      {Variant: 1, LayeredArena: 1, LaunchSteps: 1 << 16, LaunchRows: 30},
	"small everything": {Variant: 99, LayeredCapacity: 5, LayeredArena: 90, LaunchSteps: 1, LaunchRows: 20},
}

// layered reports whether the GPU runs a case whose samples are layered.
func layered(c enginetest.Case) bool {
	p, err := plan.New(c.App, c.Graph, c.Width)
	return err == nil && p.Layered && runs(c)
}

// TestLayeredConformance compares layered samples with their definitions.
func TestLayeredConformance(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 1499) // launches of blocks that share memory are slow on the emulated driver
	for _, name := range slices.Sorted(maps.Keys(layeredTunings)) {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func() engine.Engine { return gpu.Engine{Device: d, Tuning: layeredTunings[name]} }, layered, share)
		})
	}
}
