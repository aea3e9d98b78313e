package plan

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/app"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %g s, expected %g", what, got, want)
	}
}

func TestACallIsItsStartAndItsChoices(t *testing.T) {
	on := app.Size{Vertices: 1 << 20, Edges: 1 << 24}
	c := Call{App: &app.DeepWalk{Length: 80}, On: on, Samples: 1000, RootWidth: 1, Threads: 4}
	each := 80e-9 * app.Specs["DeepWalk"].Cost.Memory
	e := c.Estimate()
	near(t, "on the CPU", e.CPU, CallStart+250*each)
	near(t, "its tables", e.CPUTables, TableEdge*(1<<24))
	near(t, "on a GPU", e.GPU, DeviceCall+e.CPU/DeviceGain)
	near(t, "one GPU's wait", e.GPUWait, 0)
	near(t, "several GPUs' wait", e.GPUsWait, 80000*DeviceChoice)
	c.Threads, c.Samples = 64, 2
	near(t, "two samples on many threads", c.Estimate().CPU, CallStart+each)
	c.Samples = 0
	near(t, "no samples", c.Estimate().CPU, CallStart)
}

func TestAGPUIsWaitedForBeyondWhatIsLaunchedAhead(t *testing.T) {
	on := app.Size{Vertices: 1 << 10, Edges: 1 << 14}
	c := Call{App: &app.DeepWalk{Length: 100}, On: on, Samples: 1e8, RootWidth: 1, Threads: 1}
	near(t, "one width", c.Estimate().GPUWait, DeviceChoice*(1e10-DeviceAhead))
	c.App = &app.PPR{Stop: 0.01}
	near(t, "many lengths", c.Estimate().GPUWait, DeviceChoice*1e10)
}

func TestNothingIsPromisedOfSamplesWithoutBounds(t *testing.T) {
	c := Call{App: &app.Custom{}, On: app.Size{Vertices: 10, Edges: 100}, Samples: 1, RootWidth: 1, Threads: 1}
	if e := c.Estimate(); !math.IsInf(e.CPU, 1) || !math.IsInf(e.GPUWait, 1) {
		t.Errorf("%+v: expected no bounds", e)
	}
}
