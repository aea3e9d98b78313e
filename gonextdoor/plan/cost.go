package plan

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
)

// The cost model: how long a call takes on the CPU, and on a GPU. It decides whether device="auto" takes a GPU, and
// whether a call runs beside the interpreter, and package gonextdoor explains plans by it. It cannot change a result.
//
// What an operation of an app costs on the CPU is in the table of apps (apps.Spec), which `gonextdoor bench --costs`
// measures. All other constants are here. Those of a GPU are what `benchmarks/gpu/auto.py` prints.
const (
	// CallStart is how many seconds a call takes before its first choice.
	CallStart = 2e-5
	// WorkerStart is how many seconds each CPU thread beyond the first adds to a call.
	WorkerStart = 2.5e-5
	// PieceStart is how many seconds each CPU thread beyond the first adds to a call whose samples are made one at a time.
	PieceStart = 3.5e-5
	// PiecesStart is added if several threads make layered samples, which are copied to the result when all are made.
	PiecesStart = 1e-4
	// TableEdge and TableByte are how many seconds one CPU thread takes per edge that it reads for a table, and per byte that
	// it writes.
	TableEdge = 1e-8
	TableByte = 2e-9
	// FirstCallEdge is how many seconds the first call of an app on a graph takes per edge, for tables and checks, if it is
	// not known which tables exist.
	FirstCallEdge = 3e-8

	// GPUCall is how many seconds a call takes on a GPU at least, with the copy of a small result to the host; GPUStep is
	// how many more each step takes for which others wait: the steps of one sample.
	GPUCall = 1.6e-4
	GPUStep = 2e-9
	// GPULayers is added to GPUCall for layered samples: they have more launches, and a call waits for the sizes of the
	// samples.
	GPULayers = 1e-4
	// GPUResultRate is how many bytes of a result are copied to the host per second.
	GPUResultRate = 3.9e10
	// GPUStart is how many seconds pass until a process can use a GPU.
	GPUStart = 0.3
	// GPUVertex and GPUEdge are about the bytes of a graph on a GPU; UploadRate is how many are copied per second.
	GPUVertex  = 12
	GPUEdge    = 8
	UploadRate = 8e9
	// GPUTableEdge is how many seconds the first call of an app on a graph takes on a GPU per edge, for tables.
	GPUTableEdge = 1e-9
	// GPUQueued is the number of choices that can still be queued on each GPU when a call returns that does not wait for the
	// samples.
	GPUQueued = 2e9

	// RankStepCPU and RankStepGPU are the seconds of a step of personalised PageRank, with the count of its visit, on one CPU
	// thread and on a GPU; RankGPUCall is how many a call takes on a GPU at least, for the tables in which it counts.
	RankStepCPU = 2e-8
	RankStepGPU = 5e-10
	RankGPUCall = 4e-3
)

// Seconds of work other than sampling. They decide only whether a call runs beside the interpreter, so that Ctrl-C stops it,
// and are upper estimates for one thread. Python reads them through the core.
const (
	ReadByte     = 2e-8 // of a text file with edges
	SaveStart    = 0.1  // of a graph folder
	SaveByte     = 2e-9
	BuildEdge    = 1e-7 // of a graph from arrays
	ReverseEdge  = 1e-7
	RmatEdge     = 2e-7 // generated
	RelationEdge = 1e-9 // of a heterogeneous graph, whose rows are checked
	DrawRoot     = 3e-8 // a random root

	// NeighborEdge is the cost of an edge of a neighbour batch. On a GPU that has the graph it is divided by NeighborGPU;
	// the first call there takes NeighborUpload more.
	NeighborEdge   = 2e-8
	NeighborGPU    = 50
	NeighborUpload = 1.0

	CopyByte = 5e-11 // from a GPU to the host, with the host's memory touched for the first time

	// LineVertex, GzipVertex and ZstdVertex are the cost of a vertex in a line of text: plain, and compressed.
	LineVertex = 2e-8
	GzipVertex = 2e-7
	ZstdVertex = 5e-8
)

// gpuCosts is the cost of one operation of an app (app.Expected) on a GPU whose threads are all busy, in nanoseconds, by
// class: see CostClass. A class that is missing costs what gpuDefault says.
var gpuCosts = map[string]app.Cost{
	"App":                          {Cached: 0.0543, Memory: 0.133},
	"App, computed":                {Cached: 0.0179, Memory: 0.0403},
	"ClusterGCN":                   {Cached: 0.158, Memory: 0.1},
	"DeepWalk":                     {Cached: 0.0115, Memory: 0.036},
	"DeepWalk, computed":           {Cached: 0.0902, Memory: 0.15},
	"ForestFire":                   {Cached: 1.02, Memory: 2.09},
	"GraphSAINT, edge":             {Cached: 0.0545, Memory: 0.0746},
	"GraphSAINT, multidimensional": {Cached: 0.154, Memory: 0.0265},
	"GraphSAINT, node":             {Cached: 0.0962, Memory: 0.0835},
	"GraphSAINT, walk":             {Cached: 0.187, Memory: 0.156},
	"Jump":                         {Cached: 0.0147, Memory: 0.0327},
	"KHop":                         {Cached: 0.02, Memory: 0.02},
	"MetaPath":                     {Cached: 0.0339, Memory: 0.00182},
	"MetaPath, computed":           {Cached: 0.0902, Memory: 0.103},
	"MetropolisHastings":           {Cached: 0.0111, Memory: 0.0255},
	"MultiDimensionalWalk":         {Cached: 1.12, Memory: 2.26},
	"MultiIndependent":             {Cached: 0.00816, Memory: 0.035},
	"NegativePairs":                {Cached: 0.02, Memory: 0.02},   // both measured in memory alone
	"Negatives":                    {Cached: 0.032, Memory: 0.032}, // likewise
	"Node2Vec":                     {Cached: 0.0278, Memory: 0.054},
	"Node2Vec, computed":           {Cached: 0.653, Memory: 0.49},
	"NonBacktracking":              {Cached: 0.0133, Memory: 0.0317},
	"PPR":                          {Cached: 0.307, Memory: 0.23},
	"PPR, computed":                {Cached: 0.379, Memory: 0.42},
	"RandomEdge":                   {Cached: 0.491, Memory: 0.885},
	"RandomNode":                   {Cached: 0.181, Memory: 0.0557},
	"Restart":                      {Cached: 0.00825, Memory: 0.0334},
	"Snowball":                     {Cached: 0.152, Memory: 0.158},
	"TemporalWalk":                 {Cached: 1.59, Memory: 1.07},
	"Walk":                         {Cached: 0.0051, Memory: 0.0337},
	"Walk, computed":               {Cached: 0.104, Memory: 0.336},
}

var gpuDefault = app.Cost{Cached: 0.2, Memory: 0.3}

// gpuSteps is what one operation of a sample takes, in nanoseconds, while all other samples are made. It is for samples that
// one group of threads makes from begin to end; others take GPUStep.
var gpuSteps = map[string]float64{
	"App":                          830,
	"ClusterGCN":                   42.2,
	"ForestFire":                   2890,
	"GraphSAINT, edge":             2.76,
	"GraphSAINT, multidimensional": 16.1,
	"GraphSAINT, node":             3.52,
	"GraphSAINT, walk":             3.3,
	"RandomEdge":                   337,
	"RandomNode":                   23.7,
	"Snowball":                     115,
}

// CostClass returns the class of costs of an app on a GPU, for samples with the given number of roots: its name, whether
// biases are computed or searched, whether it searches a number of hops, the kind of samples that groups of threads make, or the method by
// which the vertices of an induced subgraph are drawn.
func CostClass(a app.App, roots int, on app.Size) string {
	if s, ok := grouped(a, roots, on); ok {
		if s.Kind == "" {
			return a.Name()
		}
		return a.Name() + ", " + s.Kind
	}
	if app.ComputesOn(a, on) {
		return a.Name() + ", computed"
	}
	if h, ok := a.(interface{ AtHops() int }); ok && h.AtHops() > 0 {
		return a.Name() + ", hops"
	}
	if d, ok := a.(app.InducedDrawer); ok {
		return a.Name() + ", " + d.InducedDraws().Method
	}
	return a.Name()
}

// Call is what the duration of a call depends on.
type Call struct {
	App       app.App
	On        app.Size
	Samples   int
	RootWidth int
	Threads   int
}

// Estimate is how many seconds a call is expected to take. All numbers but the tables' are infinite if nothing bounds the
// samples.
type Estimate struct {
	CPU         float64 // on the CPU, its tables made
	CPUTables   float64 // more, if the app's tables of the graph must be made
	GPU         float64 // on a GPU that has the graph, until the result is in the host's memory
	GPUTransfer float64 // of which is the copy of the result to the host
	GPULatency  float64 // of which are operations that wait for one another
	GPUWork     float64 // of which are all other operations, of which each of several GPUs has an equal part
	GPUAhead    float64 // of latency and work, what one GPU may have left when a call returns whose samples stay there
	GPUTables   float64 // more, if the process's context and the graph's tables must be made
	GraphUpload float64 // of which is the copy of the graph
}

// Estimate returns the expected duration of the call. It takes some microseconds.
func (c Call) Estimate() Estimate {
	e := Estimate{
		CPU: CallStart, CPUTables: FirstCallEdge * float64(c.On.Edges),
		GPU: GPUCall, GPUTables: GPUStart + GPUTableEdge*float64(c.On.Edges),
		GraphUpload: float64(GPUBytes(c.On)) / UploadRate,
	}
	if c.Samples <= 0 {
		return e
	}
	c.On.Samples = c.Samples
	samples := float64(c.Samples)
	each := app.Expect(c.App, c.RootWidth, c.On)
	shape := app.ShapeOf(c.App, c.RootWidth)
	e.CPU += c.cpuSeconds(apps.Seconds(c.App, c.RootWidth, c.On)*samples, shape)
	latency, work := c.gpuSeconds(each)
	e.GPUTransfer = c.ResultBytes() / GPUResultRate
	e.GPU += latency + work + e.GPUTransfer
	e.GPULatency, e.GPUWork = latency, work
	if shape.Layered {
		e.GPU += GPULayers
	}
	if choices := each.Vertices * samples; !c.waits(shape) && !math.IsInf(work, 1) {
		e.GPUAhead = latency + work*min(1, GPUQueued/choices)
	}
	return e
}

// waits reports whether a call returns only when the samples are made on the GPU: groups of threads make them in rounds, a
// fault of a hook is possible, or the launches are short, since choices with computed biases take long.
func (c Call) waits(shape app.Shape) bool {
	_, rounds := grouped(c.App, c.RootWidth, c.On)
	_, hooks := c.App.(program.GPUHooked)
	computed := app.ComputesOn(c.App, c.On) && !app.SearchesOn(c.App, c.On)
	return rounds || shape.Layered || hooks || computed
}

// gpuLatency returns the seconds of the operations of one sample of a class, one after another.
func gpuLatency(class string, operations float64) float64 {
	if step, ok := gpuSteps[class]; ok {
		return 1e-9 * step * operations
	}
	return GPUStep * operations
}

// gpuSeconds returns the seconds of the operations of one sample that wait for one another, and of all other work.
func (c Call) gpuSeconds(each app.Expected) (latency, work float64) {
	class := CostClass(c.App, c.RootWidth, c.On)
	if s, ok := grouped(c.App, c.RootWidth, c.On); ok {
		return groupCosts[class].of(termsOf(s, each.Operations), float64(c.Samples))
	}
	cost, ok := gpuCosts[class]
	if !ok {
		cost = gpuDefault
	}
	return gpuLatency(class, each.Operations/float64(max(1, c.RootWidth))), each.Operations * float64(c.Samples) * cost.On(c.On)
}

// cpuSeconds returns the seconds in which CPU threads do work that takes one of them the given seconds. Walkers are shared
// in groups. Other samples are taken one by one by threads that start one after another, so that few start if there is
// little work.
func (c Call) cpuSeconds(work float64, shape app.Shape) float64 {
	pieces, each, start := (c.Samples+Group-1)/Group, WorkerStart, 0.0
	g, ok := c.App.(app.GrownApp)
	if apps.Specs[c.App.Name()].Driver == app.DriverPerSample || ok && g.PerSample(c.RootWidth) {
		pieces, each = min(c.Samples, max(1, int(math.Sqrt(work/PieceStart)))), PieceStart
		if shape.Layered {
			start = PiecesStart
		}
	}
	workers := float64(max(1, min(c.Threads, pieces)))
	if workers == 1 {
		return work
	}
	return work/workers + each*(workers-1) + start
}

// ResultBytes returns the expected bytes of the samples on the host with vertices of 4 bytes and no edges, infinite if
// nothing bounds the samples.
func (c Call) ResultBytes() float64 {
	const vertex, offset, parent = 4, 8, 4
	samples := float64(c.Samples)
	shape := app.ShapeOf(c.App, c.RootWidth)
	if shape.Width > 0 {
		return vertex * float64(shape.Width) * samples
	}
	vertices := float64(c.RootWidth) + app.Expect(c.App, c.RootWidth, c.On).Vertices
	each := vertices * vertex
	if shape.Layered {
		each += vertices * parent
	}
	return (each + offset) * samples
}

// ScoresCall is what the duration of a call for personalised PageRank depends on.
type ScoresCall struct {
	On      app.Size
	Stop    float64 // probability of stopping at each vertex
	Walks   float64 // of all rows
	Threads int
}

// Estimate returns the expected duration of the call.
func (c ScoresCall) Estimate() Estimate {
	steps := c.Walks / c.Stop
	e := Estimate{
		CPU: CallStart + steps*RankStepCPU/float64(max(1, c.Threads)), CPUTables: FirstCallEdge * float64(c.On.Edges),
		GPU: RankGPUCall + steps*RankStepGPU, GPUTables: GPUStart + GPUTableEdge*float64(c.On.Edges),
		GraphUpload: float64(GPUBytes(c.On)) / UploadRate,
	}
	e.GPULatency, e.GPUWork = RankGPUCall, steps*RankStepGPU
	return e
}

// GPUBytes returns about how many bytes a graph of a size takes on a GPU.
func GPUBytes(on app.Size) int64 {
	return int64(on.Edges)*GPUEdge + int64(on.Vertices)*GPUVertex
}

// Choice is the device that device="auto" takes, with what it was chosen by.
type Choice struct {
	GPU   bool
	CPU   float64 // seconds on the CPU, its tables made
	Warm  float64 // seconds on a GPU that has the graph
	Start float64 // more, until the process can use a GPU
	Copy  float64 // more, until the graph is there
}

// Cold returns all seconds until a GPU has the result.
func (c Choice) Cold() float64 { return c.Warm + c.Start + c.Copy }

// Choose compares the CPU and a GPU for a call. opened says whether the process has used a GPU, there whether the graph is
// in its memory. If the CPU's time has no bound, the GPU is chosen.
func (e Estimate) Choose(opened, there bool) Choice {
	c := Choice{CPU: e.CPU, Warm: e.GPU}
	if !opened {
		c.Start = GPUStart
	}
	if !there {
		c.Copy = e.GraphUpload
	}
	c.GPU = math.IsInf(c.CPU, 1) || c.Cold() < c.CPU
	return c
}
