package gpu_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"gonextdoor/gonextdoor/app/program"
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
	if a, ok := c.App.(program.GPUHooked); ok {
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

func TestNegatives(t *testing.T) {
	d := device(t)
	for _, tuning := range tunings {
		enginetest.Negatives(t, gpu.Engine{Device: d, Tuning: tuning}, runs)
	}
}

func TestNegativesAtHops(t *testing.T) {
	enginetest.NegativesAtHops(t, gpu.Engine{Device: device(t)})
}

func TestRootTimes(t *testing.T) {
	d := device(t)
	for _, tuning := range tunings {
		enginetest.RootTimes(t, gpu.Engine{Device: d, Tuning: tuning})
	}
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

// shareVariable names the environment variable that selects a share of the cases in short runs on a real GPU: 20 selects one
// in 20. The default is all.
const shareVariable = "GONEXTDOOR_TEST_GPU_SHARE"

// mostShare is the number of pairs of a variant and a tuning in short runs, so that a share has a pair of every case.
const mostShare = 150

// nightlyVariable names the environment variable that make nightly sets for larger shares on the emulated driver.
const nightlyVariable = "GONEXTDOOR_TEST_NIGHTLY"

// fewer returns the number that divides the shares of short runs on the emulated driver. Runs that are not short have all cases.
func fewer() int {
	if os.Getenv(nightlyVariable) != "" {
		return 2
	}
	return 8
}

// deviceShare returns the share of the cases that a short run has: one in every*fewer()+1 on the emulated driver, which takes
// milliseconds per block, if every is at least 4. A real GPU has all cases unless shareVariable is set.
func deviceShare(t *testing.T, every int) *enginetest.Share {
	t.Helper()
	if cudatest.Real() {
		var err error
		if every, err = realShare(os.Getenv(shareVariable), every); err != nil {
			t.Fatal(err)
		}
	} else if every >= 4 {
		every = every*fewer() + 1 // odd: seeds that are dates do not reach all remainders of an even number for years
	}
	return enginetest.NewShare(t, every)
}

// realShare returns the share on a real GPU, for a value of shareVariable and the share on the emulated driver, below which
// a test may have no case.
func realShare(text string, emulated int) (every int, err error) {
	if text == "" {
		return 1, nil
	}
	if every, err = strconv.Atoi(text); err != nil || every < 1 || every > mostShare {
		return 0, fmt.Errorf("%s=%s: expected an integer from 1 to %d", shareVariable, text, mostShare)
	}
	return min(every, emulated), nil
}

// A share on a real GPU has a pair of each case, and never fewer than on the emulated driver.
func TestShareOnARealGPU(t *testing.T) {
	for _, c := range []struct {
		text            string
		emulated, every int // every 0: refused
	}{{"", 119, 1}, {"20", 119, 20}, {"150", 1499, 150}, {"20", 4, 4}, {"1", 53, 1}, {"0", 119, 0}, {"151", 119, 0}, {"x", 119, 0}} {
		if every, err := realShare(c.text, c.emulated); every != c.every || (err == nil) != (c.every > 0) {
			t.Errorf("%q: one in %d, %v; expected one in %d", c.text, every, err, c.every)
		}
	}
	if pairs := len(enginetest.Variants(true)) * min(len(tunings), len(layeredTunings)); pairs < mostShare {
		t.Errorf("a case has %d pairs; a share of one in %d may have none", pairs, mostShare)
	}
}
