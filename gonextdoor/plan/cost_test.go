package plan

import (
	"math"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: %g s, expected %g", what, got, want)
	}
}

func TestACallIsItsStartAndItsChoices(t *testing.T) {
	on := app.Size{Vertices: 1 << 20, Edges: 1 << 24}
	c := Call{App: &apps.DeepWalk{Length: 80}, On: on, Samples: 1000, RootWidth: 1, Threads: 4}
	each, gpu := 80e-9*apps.Specs["DeepWalk"].Cost.Memory, 80e-9*gpuCosts["DeepWalk"].Memory
	e := c.Estimate()
	near(t, "on the CPU", e.CPU, CallStart+250*each+3*WorkerStart)
	near(t, "its tables", e.CPUTables, FirstCallEdge*(1<<24))
	near(t, "the result's way to the host", e.GPUTransfer, 81*4*1000/GPUResultRate)
	near(t, "on a GPU", e.GPU, GPUCall+80*GPUStep+1000*gpu+e.GPUTransfer)
	near(t, "the steps of a walk on a GPU", e.GPULatency, 80*GPUStep)
	near(t, "what several GPUs share", e.GPUWork, 1000*gpu)
	near(t, "what is queued when the call returns", e.GPUAhead, e.GPULatency+e.GPUWork)
	c.Threads, c.Samples = 64, 2
	near(t, "two samples are one group, for one thread", c.Estimate().CPU, CallStart+2*each)
	for _, depth := range []int{2, 6} {
		c.App = &apps.Snowball{Depth: depth, Fanout: app.All}
		each = apps.Seconds(c.App, 1, app.Size{Vertices: on.Vertices, Edges: on.Edges, Samples: 2})
		want := CallStart + 2*each // by one thread
		if depth == 6 {
			want = CallStart + each + PieceStart + PiecesStart
		}
		near(t, "two samples that are made one at a time", c.Estimate().CPU, want)
	}
	c.Samples = 0
	near(t, "no samples", c.Estimate().CPU, CallStart)
	near(t, "no samples on a GPU", c.Estimate().GPU, GPUCall)
}

func TestCallsReturnBeforeTheGPUHasMadeTheSamples(t *testing.T) {
	on := app.Size{Vertices: 1 << 10, Edges: 1 << 14}
	for _, c := range []struct {
		app    app.App
		queued float64 // of 10^10 choices
	}{
		{&apps.DeepWalk{Length: 100}, GPUQueued},
		{&apps.PPR{Stop: 0.01}, GPUQueued},
		{&apps.DeepWalk{Length: 100, Weighted: app.Computed}, GPUQueued},
		{&apps.Node2Vec{P: 2, Q: 1, Length: 100, Weighted: app.Computed}, 0},
		{&apps.Snowball{Depth: 2, Fanout: 10}, 0},
		{&apps.Layer{StepSize: 100, MaxSize: 100}, 0},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 100, Next: func(*program.Ctx) uint32 { return 0 }}}, 0},
	} {
		call := Call{App: c.app, On: on, Samples: 1e8, RootWidth: 1, Threads: 1}
		e, want := call.Estimate(), 0.0
		if c.queued > 0 {
			want = e.GPULatency + e.GPUWork*c.queued/1e10
		}
		near(t, c.app.Name(), e.GPUAhead, want)
	}
}

func TestNothingIsPromisedOfSamplesWithoutBounds(t *testing.T) {
	c := Call{App: &program.Custom{}, On: app.Size{Vertices: 10, Edges: 100}, Samples: 1, RootWidth: 1, Threads: 1}
	e := c.Estimate()
	if !math.IsInf(e.CPU, 1) || !math.IsInf(e.GPU, 1) || !math.IsInf(e.GPUWork, 1) || e.GPUAhead != 0 {
		t.Errorf("%+v: expected no bounds", e)
	}
	if !e.Choose(false, false).GPU {
		t.Error("expected the GPU for samples without bounds")
	}
}

func TestTheDeviceIsTheOneThatIsDoneSooner(t *testing.T) {
	e := Estimate{CPU: 0.5, GPU: 0.1, GraphUpload: 0.2}
	for _, c := range []struct {
		opened, there, gpu bool
		cold               float64
	}{{false, false, false, 0.1 + GPUStart + 0.2}, {true, false, true, 0.3}, {false, true, true, 0.1 + GPUStart}, {true, true, true, 0.1}} {
		got := e.Choose(c.opened, c.there)
		near(t, "until the GPU has the result", got.Cold(), c.cold)
		if got.GPU != c.gpu {
			t.Errorf("opened %v, there %v: the GPU is taken: %v", c.opened, c.there, got.GPU)
		}
	}
}

// Every class of costs belongs to an app, and no cost is 0.
func TestClassesOfCostsAreThoseOfApps(t *testing.T) {
	for class := range groupCosts {
		name, _, _ := strings.Cut(class, ",")
		if _, ok := apps.Specs[name]; !ok {
			t.Errorf("%s: no such app", class)
		}
	}
	for class, cost := range gpuCosts {
		name, _, _ := strings.Cut(class, ",")
		if _, ok := apps.Specs[name]; !ok {
			t.Errorf("%s: no such app", class)
		}
		if cost.Cached <= 0 || cost.Memory <= 0 {
			t.Errorf("%s: %+v: expected positive costs", class, cost)
		}
	}
}

func TestScoresCostTheirSteps(t *testing.T) {
	c := ScoresCall{On: app.Size{Vertices: 10, Edges: 100}, Stop: 0.2, Walks: 1e6, Threads: 4}
	near(t, "on the CPU", c.Estimate().CPU, CallStart+5e6*RankStepCPU/4)
	near(t, "on a GPU", c.Estimate().GPU, RankGPUCall+5e6*RankStepGPU)
}

// A choice of a tree takes less time the more trees a call has, since they read the same rows, and more by weight.
func TestTreesOfACallShareRows(t *testing.T) {
	on := app.Size{Vertices: 1 << 22, Edges: 1 << 26, Weighted: true}
	each := func(w app.Weighted, samples int) float64 {
		on := on
		on.Samples = samples
		return apps.Seconds(&apps.KHop{Fanouts: []int{25, 10}, Weighted: w}, 1, on)
	}
	cost := apps.Specs["KHop"].Cost
	one, many := each(app.No, 1), each(app.No, 1<<22)
	if most := 275e-9 * cost.Memory; one > most || one < 0.999*most || many > 0.7*one || many < 275e-9*cost.Cached {
		t.Errorf("%g s of one tree, %g of many", one, many)
	}
	near(t, "by weight", each(app.Auto, 1000), 1.5*each(app.No, 1000))
}

// Walks of a call that has too few of them to pay for the table of edges by label do not read rows if it is there.
func TestTheTableOfEdgesByLabelMayBeThere(t *testing.T) {
	g := graphtest.Labelled(graphtest.Star(10, false))
	defer g.Close()
	a := &apps.MetaPath{Labels: []int32{0, 1}, Length: 1, Weighted: app.No}
	on := app.SizeOf(g)
	on.Edges, on.Samples = 1<<20, 1
	before := app.Expect(a, 1, on).Operations
	if _, err := index.LabelRowsOf(g, 1<<20, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if after := app.Expect(a, 1, on).Operations; after >= before {
		t.Errorf("%g operations with the table, %g without", after, before)
	}
}
