package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/parallel"
)

// Walks and trees on a graph that does not fit into GPU memory, which is copied there part by part. None of these changes a result.
const (
	// PartSlots is the number of slots for parts: one is loading while walkers advance in the others. More slots let a walker
	// make more steps per copy of the graph, but each copy is followed by a kernel that reads the state of all walkers.
	PartSlots = 4
	// PartSteps bounds the steps that a walker makes in a launch: about PartSteps*LaunchSteps are made at most.
	PartSteps = 16
	// PartBlocks is the number of blocks per SM that advance walkers.
	PartBlocks = 8
	// PartVisitBytes is the memory per walk if only visits or last vertices are wanted. A quarter of the free memory is for it.
	PartVisitBytes = 24
	// PartPatches is the number of vertices of samples that the host makes at a time.
	PartPatches = 1 << 22
	// PartHostBytes is the number of bytes of a result that are copied to the host before they are converted to 64 bits. Each
	// call copies the graph, so that there are few.
	PartHostBytes = 8 << 30
	// PartEdge and PartVertex are the most bytes of a layout of walks per edge and vertex. Smaller graphs are never copied part
	// by part.
	PartEdge   = 48
	PartVertex = 64
	// PartRate is how many bytes of pinned memory are copied to a GPU per second.
	PartRate = 5.5e10
	// GatherRate is how many bytes of the graph per second a call passes through that reads nearly all rows, which the CPU gathers
	// and copies to a GPU in rounds. It was measured with Layer on an H200 with 16 CPU cores.
	GatherRate = 1.2e9
	// UploadStart is how many seconds the copy of samples to a GPU takes at least, which the CPU has made. ResultUploadRate is how
	// many of their bytes are copied per second.
	UploadStart      = 5e-5
	ResultUploadRate = 2.5e10
	// PartReads is the number of rows that a step of second order waits for, about: that of the vertex, and for more than half
	// of the candidates that of a lookup.
	PartReads = 2
)

// Parts describes how a walk or tree runs on a graph that does not fit into a GPU's memory. Parts{}: it fits, or the app does not
// run so.
type Parts struct {
	Count       int    // of parts
	Slots       int    // in GPU memory, each for one part
	SlotBytes   int64  // of a slot
	Bytes       int64  // of all parts
	SecondOrder bool   // a step may wait for several rows
	Walkers     int    // of a sample, which move side by side; 0: one
	Beside      int64  // bytes of a table of all vertices in GPU memory, such as their degrees
	BesideName  string // what that table has of each vertex
	Sweeps      int    // trees: all parts are copied once per step; 0: walks
	Gathered    bool   // layered samples: rows are copied when samples have read them, so there is one part
}

// StepSeconds returns the expected time in which all walkers make a step, if their vertices are in all parts equally often.
// If parts are copied in turn, the next vertex of a walker is in a slot, or in one of the Count-Slots+1 parts that are copied
// next, each with equal probability: it waits for (Count-Slots+1)(Count-Slots+2)/2/Count copies in the mean.
func (p Parts) StepSeconds() float64 {
	if p.Count == 0 {
		return 0
	}
	others := float64(p.Count - p.Slots + 1)
	copies := others * (others + 1) / 2 / float64(p.Count)
	if p.SecondOrder {
		copies *= PartReads
	}
	return copies * float64(p.Bytes) / float64(p.Count) / PartRate
}

// InParts returns the estimate of a call on a graph that is copied to the GPU as p says. e is that for a graph in GPU memory. All
// walkers share the copies of parts, so that their time depends on the expected number of steps.
func (c Call) InParts(e Estimate, p Parts) Estimate {
	if p.Count > 0 && c.Samples > 0 {
		seconds := 0.0
		switch {
		case p.Gathered:
			seconds = float64(p.Bytes) / GatherRate
		case p.Sweeps > 0:
			seconds = float64(p.Sweeps) * float64(p.Bytes) / PartRate
		default:
			steps := app.Expect(c.App, c.RootWidth, c.On).Vertices
			seconds = steps / float64(max(1, p.Walkers)) * p.StepSeconds()
		}
		e.GPU, e.GPULatency, e.GPUAhead, e.GraphUpload = e.GPU+seconds, e.GPULatency+seconds, 0, 0
	}
	return e
}

// CallOf returns the call that makes the samples of a batch.
func CallOf(p Plan, b Batch) Call {
	return Call{
		App: p.App, On: app.SizeOf(p.Graph), Samples: b.Roots.Samples(), RootWidth: b.Roots.Width, Threads: parallel.Threads(b.Threads),
	}
}

// Beyond compares the two ways to make samples that stay on a GPU, on a graph that exceeds its memory: the CPU makes them and
// copies them to the GPU, or the graph is copied there as p says. A batch with an order is made by the GPU.
func (b Batch) Beyond(of Plan, p Parts) Choice {
	c := CallOf(of, b)
	e := c.InParts(c.Estimate(), p)
	e.CPU += c.UploadSeconds()
	e.GPU -= e.GPUTransfer
	choice := e.Choose(true, true)
	choice.GPU = choice.GPU || b.Order != ""
	return choice
}

// UploadSeconds returns the expected time in which samples that the CPU has made are copied to a GPU.
func (c Call) UploadSeconds() float64 { return UploadStart + c.ResultBytes()/ResultUploadRate }
