package plan

import (
	"math"

	"gonextdoor/gonextdoor/app"
)

// The cost model: how long a call takes on the CPU, and on a GPU. It decides whether device="auto" takes a GPU, and
// whether a call runs beside the interpreter. It cannot change a result. What an operation of an app costs on the CPU is
// in the table of apps (app.Spec), which `gonextdoor bench --costs` measures; all other constants are here.
const (
	// CallStart is how many seconds a call takes before its first choice.
	CallStart = 2e-5
	// TableEdge is how many seconds the first call of an app on a graph takes per edge, for tables and checks.
	TableEdge = 3e-8

	// DeviceCall is how many seconds a call takes on a GPU at least, with the copy of the result to the host.
	DeviceCall = 2e-3
	// DeviceStart is how many seconds pass until a process can use a GPU.
	DeviceStart = 0.3
	// DeviceGain is how many times faster a GPU samples than all threads of a CPU, with the copy of the result to the host.
	DeviceGain = 8.0
	// DeviceVertex and DeviceEdge are about the bytes of a graph on a GPU; UploadRate is how many are copied per second.
	DeviceVertex = 12
	DeviceEdge   = 8
	UploadRate   = 8e9
	// DeviceTableEdge is how many seconds the first call of an app on a graph takes on a GPU per edge, for tables.
	DeviceTableEdge = 1e-9
	// DeviceChoice is how many seconds a choice takes on a GPU that takes no more than DevicePlain seconds on one thread of
	// a CPU; others take as many times more.
	DeviceChoice = 1e-10
	DevicePlain  = 1e-7
	// DeviceAhead is how many choices are launched before a call waits for the GPU, if samples have one width.
	DeviceAhead = 2e9
)

// Call is what the duration of a call depends on.
type Call struct {
	App       app.App
	On        app.Size
	Samples   int
	RootWidth int
	Threads   int
}

// Estimate is how many seconds a call is expected to take.
type Estimate struct {
	CPU         float64 // on the CPU, its tables made; infinite if nothing bounds the samples
	CPUTables   float64 // more, if the app's tables of the graph must be made
	GPU         float64 // on a GPU that has the graph, until the result is in the host's memory
	GPUWait     float64 // on one GPU, until the call returns; the GPU may work on
	GPUsWait    float64 // on several GPUs, until the call returns
	GPUTables   float64 // more, if the process's context and the graph's tables must be made
	GraphUpload float64 // of which is the copy of the graph
}

// Estimate returns the expected duration of the call. It takes some microseconds.
func (c Call) Estimate() Estimate {
	e := Estimate{
		CPU: CallStart, CPUTables: TableEdge * float64(c.On.Edges),
		GraphUpload: float64(DeviceBytes(c.On)) / UploadRate,
	}
	e.GPUTables = DeviceStart + DeviceTableEdge*float64(c.On.Edges)
	if c.Samples > 0 {
		c.On.Samples = c.Samples
		each := app.Seconds(c.App, c.RootWidth, c.On)
		e.CPU += each * float64(c.Samples) / float64(max(1, min(c.Threads, c.Samples)))
		e.GPUWait, e.GPUsWait = c.waits(each)
	}
	e.GPU = GPUSeconds(e.CPU, 0)
	return e
}

// waits returns how long a call on one GPU, and on several, waits. each is the seconds of a sample on one CPU thread.
func (c Call) waits(each float64) (one, several float64) {
	vertices := app.Expect(c.App, c.RootWidth, c.On).Vertices
	switch {
	case math.IsInf(each, 1):
		return each, each
	case vertices <= 0:
		return 0, 0
	}
	choices, slow := vertices*float64(c.Samples), max(1, each/vertices/DevicePlain)
	several = DeviceChoice * slow * choices
	if slow > 1 || app.ShapeOf(c.App, c.RootWidth).Width == 0 {
		return several, several
	}
	return max(0, DeviceChoice*(choices-DeviceAhead)), several
}

// GPUSeconds returns how long a GPU takes for a call that takes cpu seconds on all threads of the CPU, and begin seconds
// before its first choice.
func GPUSeconds(cpu, begin float64) float64 { return DeviceCall + cpu/DeviceGain + begin }

// DeviceBytes returns about how many bytes a graph of a size takes on a GPU.
func DeviceBytes(on app.Size) int64 {
	return int64(on.Edges)*DeviceEdge + int64(on.Vertices)*DeviceVertex
}
