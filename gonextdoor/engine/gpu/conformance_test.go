package gpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/plan"
)

// device opens the first GPU, real or emulated.
func device(t testing.TB) *cuda.Device {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		if cudatest.Real() {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// runs reports whether the GPU runs a case. Hooks are compiled by the Python package, whose tests run them.
func runs(c enginetest.Case) bool {
	if a, ok := c.App.(app.GPUHooked); ok {
		if hooks, _ := a.GPUHooks(); !hooks.Image.Exists() {
			return false
		}
	}
	p, err := plan.New(c.App, c.Graph, c.Width)
	if err != nil {
		return false
	}
	_, err = gpu.Compile(p)
	return err == nil
}

// tunings divide the work in different ways and select different kernel variants. All must return the same samples.
var tunings = map[string]gpu.Tuning{
	"as planned":     {},
	"by warps":       {LaneDegree: 1, Variant: 1},
	"short chunks":   {LaneDegree: 4, ChunkSteps: 5},
	"small pieces":   {LaunchSteps: 100, LaunchRows: 33, ChunkSteps: 3, HostRows: 70},
	"second variant": {Variant: 1, ChunkSteps: 1, LaunchRows: 1000},
	"third variant":  {Variant: 2, ChunkSteps: 2, Order: plan.TransitOrder},
	"plain layouts":  {Variant: 99, LaunchSteps: 1, LaunchRows: 257, HostRows: 1000}, // the last variant, for any graph
}

func TestConformance(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 119)
	others := func(c enginetest.Case) bool { return runs(c) && !layered(c) } // see TestLayeredConformance
	conform(t, d, tunings, others, share)
}

// conform compares an engine per tuning with the definitions of some cases. A real GPU runs several cases at a time: most calls
// are small, and the definitions take CPU time.
func conform(t *testing.T, d *cuda.Device, tunings map[string]gpu.Tuning, wanted func(c enginetest.Case) bool, share *enginetest.Share) {
	t.Helper()
	engines := enginetest.Engines{}
	for name, tuning := range tunings {
		engines[name] = func() engine.Engine { return gpu.Engine{Device: d, Tuning: tuning} }
	}
	if cudatest.Real() {
		engines.RunInParallel(t, wanted, share)
	} else {
		engines.Run(t, wanted, share)
	}
}

// deviceShare returns the share of the cases that a short run has: one in every on the emulated driver, which takes
// milliseconds per block, and all on a real GPU.
func deviceShare(t *testing.T, every int) *enginetest.Share {
	t.Helper()
	if cudatest.Real() {
		every = 1
	}
	return enginetest.NewShare(t, every)
}
