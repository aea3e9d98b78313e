package gonextdoor_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// undivided is a walk whose choices need the complete graph.
var undivided = &apps.Node2Vec{P: 2, Q: 1, Length: 3, Weighted: app.Computed}

// A graph that exceeds the budget of a GPU is copied there part by part, as Explain tells. "auto" takes a GPU for it only
// if that is faster.
func TestGraphsInParts(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	g, err := build.RMAT{Scale: 10, EdgeFactor: 6, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	walk := &apps.DeepWalk{Length: 7, Weighted: app.No}
	q := gonextdoor.Question{
		Graph: g, App: walk, Roots: plan.Roots{Count: 100, Width: 1, Repeat: 1}, Threads: 1, On: 1, VertexBytes: 4,
	}
	whole, err := gonextdoor.Explain(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "12KB")
	q.Order = plan.TransitOrder // few walks are made by the CPU otherwise
	x, err := gonextdoor.Explain(q)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Tables) != 1 || !strings.Contains(x.Tables[0].Name, "parts of the graph") || x.Tables[0].Bytes > 12e3 {
		t.Errorf("the tables are %+v", x.Tables)
	}
	q.App = &apps.MetropolisHastings{Length: 7}
	if both, err := gonextdoor.Explain(q); err != nil || len(both.Tables) != 2 || both.Tables[0].Bytes+both.Tables[1].Bytes > 12e3 || both.Tables[1].Bytes != 4<<10 {
		t.Errorf("%v: the tables of a walk by degrees are %+v", err, both.Tables)
	}
	if *x.SampleSeconds <= *whole.SampleSeconds {
		t.Errorf("%v s in parts, %v s otherwise", *x.SampleSeconds, *whole.SampleSeconds)
	}
	// The copies of 7 steps take some microseconds.
	if on := gonextdoor.DeviceFor(g, walk, 1, 100, 10, 1); on != 0 {
		t.Errorf("device %d", on)
	}
	if on := gonextdoor.DeviceFor(g, walk, 1, 100, 2.0000001, 2); on != -1 {
		t.Errorf("device %d although the CPU is faster", on)
	}
	if on := gonextdoor.DeviceFor(g, undivided, 1, 100, 10, 1); on != -1 {
		t.Errorf("device %d for an app that does not run in parts", on)
	}
	if parts, err := (backend.CUDA{}).InParts(plan.Plan{App: walk, Graph: g, Driver: app.DriverWalk}, 0, false); err != nil || parts.Count < 2 {
		t.Errorf("%+v, %v", parts, err)
	}
	checkInParts(t, g, walk)
	checkInParts(t, g, undivided)
}

// The CPU makes the samples of a call on a GPU that would copy the graph for longer, as Explain tells with both times. The GPU makes
// many samples, and those of a call with an order.
func TestTheFasterDeviceMakesTheSamplesOfLargeGraphs(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	g, err := build.RMAT{Scale: 13, EdgeFactor: 12, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "150KB")
	for _, c := range []struct {
		app     app.App
		samples int
		on      gonextdoor.Devices
		order   plan.Order
		words   string
		fromCPU bool
	}{
		{&apps.DeepWalk{Length: 7}, 1, 1, "", "copied to the GPU: estimated ", true},
		{&apps.DeepWalk{Length: 7}, 1, 3, "", "copied to the GPU: estimated ", true},
		{&apps.DeepWalk{Length: 7}, 1, 1, plan.TransitOrder, `because it does not fit; plan names the order "transit"`, false},
		{&apps.DeepWalk{Length: 7}, 1 << 24, 1, "", "because it does not fit: estimated ", false},
		{&apps.DeepWalk{Length: 7}, 1 << 24, 3, "", "because it does not fit: estimated ", false},
		{&apps.KHop{Fanouts: []int{5, 5}}, 1, 1, "", "which copies the graph in ", true},
		{&apps.Layer{StepSize: 3, MaxSize: 9}, 1, 1, "", "which copies the rows that samples read", true},
		{&apps.Layer{StepSize: 3, MaxSize: 9}, 1, 1, plan.SampleOrder, `plan names the order "sample"`, false},
	} {
		x, err := gonextdoor.Explain(gonextdoor.Question{
			Graph: g, App: c.app, Roots: plan.Roots{Count: 1, Width: 1, Repeat: c.samples}, Threads: 1, On: c.on, VertexBytes: 4, Order: c.order,
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(x.Why, c.words) || strings.Contains(x.Why, "the CPU makes the samples") != c.fromCPU {
			t.Errorf("%+v: %s", c, x.Why)
		}
		if b := *x.TransferSeconds; b <= 0 || c.fromCPU != (*x.DeviceBytes == *x.ResultBytes) {
			t.Errorf("%+v: the transfer takes %v s, %v bytes are on the device", c, b, *x.DeviceBytes)
		}
	}
}

// The CPU makes the samples of a call on a GPU that cannot run a plan for lack of memory, as Explain tells. Edge ids may be
// what exceeds the memory.
func TestGraphsFromTheHost(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	g, err := build.RMAT{Scale: 10, EdgeFactor: 6, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for e := range g.NumEdges() {
		g.EdgeIDs = append(g.EdgeIDs, uint32(e))
	}
	p, err := plan.New(undivided, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := backend.CUDA{}.LeastBytes(p, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	walk := &apps.DeepWalk{Length: 7, Weighted: app.No}
	for _, c := range []struct {
		budget      int64
		app         app.App
		want, edges gonextdoor.Excess
	}{
		{4 * bytes, undivided, gonextdoor.Fits, gonextdoor.Fits}, {bytes, undivided, gonextdoor.MayExceed, gonextdoor.FromHost},
		{bytes - 1, undivided, gonextdoor.FromHost, gonextdoor.FromHost}, {12e3, walk, gonextdoor.InParts, gonextdoor.InParts},
		{100, walk, gonextdoor.FromHost, gonextdoor.FromHost}, {1 << 30, walk, gonextdoor.Fits, gonextdoor.Fits},
		{100, &program.Custom{StepProgram: program.StepProgram{Steps: 2, Fanouts: []int{1}}}, gonextdoor.Fits, gonextdoor.Fits}, // refused
	} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", strconv.FormatInt(c.budget, 10))
		for edges, want := range map[bool]gonextdoor.Excess{false: c.want, true: c.edges} {
			if got, _ := gonextdoor.ExcessOf(1, g, c.app, 1, edges); got != want {
				t.Errorf("%s with %d bytes, edges %v: %v, expected %v", c.app.Name(), c.budget, edges, got, want)
			}
		}
	}
	for _, c := range []struct {
		on    gonextdoor.Devices
		app   app.App
		words string
	}{
		{1, undivided, "a choice reads the rows of two vertices together"}, {1, walk, "not even in parts"}, {3, undivided, "the graph is not split"},
	} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "100")
		x, err := gonextdoor.Explain(gonextdoor.Question{
			Graph: g, App: c.app, Roots: plan.Roots{Count: 100, Width: 1, Repeat: 1}, Threads: 1, On: c.on, VertexBytes: 4,
		})
		if err != nil {
			t.Fatal(err)
		}
		if x.Device != c.on.String() || !strings.Contains(x.Why, "the CPU makes the samples") || !strings.Contains(x.Why, c.words) {
			t.Errorf("%s: %s, %s", c.app.Name(), x.Device, x.Why)
		}
		if len(x.Tables) == 0 || strings.Contains(x.Tables[0].Name, "layout") || *x.DeviceBytes != *x.ResultBytes {
			t.Errorf("%s: the tables are %+v, %v bytes on the device", c.app.Name(), x.Tables, *x.DeviceBytes)
		}
		if on := gonextdoor.DeviceFor(g, c.app, 1, 100, 10, 1); on != -1 {
			t.Errorf("%s: \"auto\" takes device %d, for which the CPU makes the samples", c.app.Name(), on)
		}
	}
}

// Layered samples copy the rows that they read of such a graph, as Explain tells.
func TestGraphsByRows(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	g, err := build.RMAT{Scale: 10, EdgeFactor: 16, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "30KB")
	layer := &apps.Layer{StepSize: 3, MaxSize: 9}
	x, err := gonextdoor.Explain(gonextdoor.Question{
		Graph: g, App: layer, Roots: plan.Roots{Count: 100, Width: 1, Repeat: 1}, Threads: 1, On: 1, VertexBytes: 4,
		Order: plan.SampleOrder,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Tables) != 1 || x.Tables[0].Name != "rows of the graph" || x.Tables[0].Bytes != 30e3 || len(x.Orders) > 0 {
		t.Errorf("the tables are %+v, the orders %v", x.Tables, x.Orders)
	}
	if on := gonextdoor.DeviceFor(g, layer, 1, 100, 10, 1); on != 0 {
		t.Errorf("device %d", on)
	}
	if on := gonextdoor.DeviceFor(g, layer, 1, 100, 2.0000001, 2); on != -1 {
		t.Errorf("device %d although the CPU is faster", on)
	}
	edges, err := gonextdoor.Explain(gonextdoor.Question{
		Graph: g, App: &apps.RandomEdge{N: 9}, Roots: plan.Roots{Count: 100, Repeat: 1}, Threads: 1, On: 1, VertexBytes: 4,
		Order: plan.SampleOrder,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(edges.Tables) != 2 || edges.Tables[0].Bytes+edges.Tables[1].Bytes != 30e3 || edges.Tables[1].Name != "row begins of all vertices" || edges.Tables[1].Bytes != 8<<10+8 {
		t.Errorf("the tables of drawn edges are %+v", edges.Tables)
	}
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "8KB") // less than 8 bytes per vertex, and the longest row
	if on := gonextdoor.DeviceFor(g, layer, 1, 100, 10, 1); on != -1 {
		t.Errorf("device %d although no row fits", on)
	}
}

// checkInParts compares the samples of the GPU with those of the CPU.
func checkInParts(t *testing.T, g *graph.Graph, walk app.App) {
	t.Helper()
	b := plan.Batch{Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 1}, Seed: 5}
	var both [2][]uint32
	for i := range both {
		s, err := gonextdoor.NewFor(gonextdoor.Devices(i), g, walk, 1)
		if err != nil {
			t.Fatal(err)
		}
		both[i] = make([]uint32, g.NumVertices()*s.Plan.Width)
		if err := s.Matrix(b, output.Matrix{Vertices: both[i], Width: s.Plan.Width, Roots: 1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(both[0], both[1]) {
		t.Error("the samples differ from those of the CPU")
	}
}
