package plan

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
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
	// PartCopy is how many seconds pass at least between two copies of PartFew parts or fewer, since a walker then makes several steps
	// per copy; with more parts, it is as much less. PartWalkers is how many more pass with PartMany walkers of PartLong steps.
	PartCopy    = 6e-4
	PartFew     = 17
	PartWalkers = 2.4e-4
	PartMany    = 1e6
	PartLong    = 80
	// PartTail is by how many standard deviations the copies for which the last walker waits exceed the mean, in the units of the
	// largest of as many normal numbers.
	PartTail = 0.75
	// PartSweep is how many seconds the copy of a part of trees takes at least.
	PartSweep = 3e-4
	// MetropolisMoves and PoolMoves are the shares of the steps of MetropolisHastings and MultiDimensionalWalk that wait for a row:
	// others stay at a vertex, or move a walker whose row is there.
	MetropolisMoves = 0.25
	PoolMoves       = 0.4
	// GatherStart is how many seconds a call takes at least that copies the rows which samples read. The CPU writes GatherTables
	// bytes per second of the tables of all rows, and gathers GatherRate bytes per second of rows. Choices from the rows of a layer
	// together are repeated GatherLayer times. Vertices that are drawn by importance have GatherImportance times the mean degree.
	GatherStart      = 3e-3
	GatherTables     = 1.5e10
	GatherRate       = 3.7e10
	GatherLayer      = 2
	GatherImportance = 4
	// UploadStart is how many seconds the copy of samples to a GPU takes at least, which the CPU has made. ResultUploadRate is how
	// many of their bytes are copied per second.
	UploadStart      = 5e-5
	ResultUploadRate = 2.5e10
	// PartReads is the number of rows that a step of second order waits for, about: that of the vertex, and for some of the
	// candidates that of a lookup.
	PartReads = 1.05
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
	Tables      int64  // of gathered rows: bytes of the tables of all rows, which each call copies; they are in the slot
	EdgeBytes   int64  // of gathered rows: bytes of an edge
	PageEdges   int    // edges of a page that is copied in place of a row; 0: rows are
}

// WalkSeconds returns the expected time until the last of some walkers has made its steps, of which mean and variance are given, if
// their vertices are in all parts equally often. If parts are copied in turn, the next vertex of a walker is in a slot, or in one of
// the Count-Slots+1 parts that are copied next, each with equal probability: it waits for up to that many copies.
func (p Parts) WalkSeconds(steps, variance, walkers float64) float64 {
	if p.Count == 0 || steps == 0 {
		return 0
	}
	if p.SecondOrder {
		steps *= PartReads
	}
	// The number of copies for which one walker waits is about normal, so the largest of all is above the mean.
	others, count := float64(p.Count-p.Slots+1), float64(p.Count)
	mean := others * (others + 1) / 2 / count
	spread := steps*(others*(others+1)*(2*others+1)/6/count-mean*mean) + variance*mean*mean
	copies := steps*mean + PartTail*math.Sqrt(2*math.Log(max(1, walkers))*spread)
	if variance == 0 {
		copies = min(copies, steps*others)
	}
	least := PartCopy + PartWalkers*min(1, walkers/PartMany)*min(1, steps/PartLong)
	return copies * max(float64(p.Bytes)/count/PartRate, least*min(1, PartFew/count))
}

// InParts returns the estimate of a call on a graph that is copied to the GPU as p says. e is that for a graph in GPU memory. All
// walkers share the copies of parts, so that their time depends on the expected number of steps.
func (c Call) InParts(e Estimate, p Parts) Estimate {
	if p.Count > 0 && c.Samples > 0 {
		seconds := 0.0
		switch {
		case p.Gathered:
			seconds = c.gatherSeconds(p)
		case p.Sweeps > 0:
			seconds = float64(p.Sweeps) * max(float64(p.Bytes)/PartRate, PartSweep*float64(p.Count))
		default:
			each := float64(max(1, p.Walkers))
			steps, variance := c.partSteps(each)
			seconds = p.WalkSeconds(steps, variance, each*float64(c.Samples))
		}
		e.GPU, e.GPULatency, e.GPUAhead, e.GraphUpload = e.GPU+seconds, e.GPULatency+seconds, 0, 0
	}
	return e
}

// partSteps returns mean and variance of the steps of a walker that wait for rows. walkers is the number of walkers of a sample.
func (c Call) partSteps(walkers float64) (steps, variance float64) {
	of := app.Expect(c.App, c.RootWidth, c.On)
	steps = of.Vertices / walkers
	switch c.App.(type) {
	case *apps.MetropolisHastings:
		return MetropolisMoves * steps, 0
	case *apps.MultiDimensionalWalk:
		return PoolMoves * steps, 0
	case *apps.TemporalWalk: // operations are those of the steps until a walk ends, and few for each slot after it
		return (of.Operations - app.EndedStored*of.Vertices) / (1 - app.EndedStored), 0
	}
	if app.ShapeOf(c.App, c.RootWidth).Width == 0 { // the walk stops with a probability
		variance = steps * steps
	}
	return steps, variance
}

// gatherSeconds returns the expected time in which the rows are copied that samples read. If they exceed the slot, the samples are
// made in windows, each of which copies the rows of its samples.
func (c Call) gatherSeconds(p Parts) float64 {
	windows, samples := 1.0, float64(c.Samples)
	for windows < samples && c.gatheredBytes(p, samples/windows) > float64(p.SlotBytes-p.Tables) {
		windows *= 2
	}
	seconds := windows * (GatherStart + float64(p.Tables)/GatherTables + c.gatheredBytes(p, samples/windows)/GatherRate)
	if _, ok := c.App.(app.CollectiveStepper); ok {
		seconds *= GatherLayer
	}
	return seconds
}

// gatheredBytes returns the expected bytes of the different rows that some samples read.
func (c Call) gatheredBytes(p Parts, samples float64) float64 {
	all := float64(c.On.Edges)
	vertices, ends := c.rowsRead()
	_, edges := c.On.Distinct(samples * ends)
	edges += vertices * samples * c.On.Degree()
	if p.PageEdges > 0 {
		edges = vertices * samples * float64(p.PageEdges)
	}
	return float64(p.EdgeBytes) * min(all, edges)
}

// rowsRead returns about how many rows a layered sample reads: of vertices that are drawn from all, and of end points of edges,
// which have more edges.
func (c Call) rowsRead() (vertices, ends float64) {
	roots, each := float64(c.RootWidth), app.Expect(c.App, c.RootWidth, c.On).Vertices
	switch a := c.App.(type) {
	case app.ImportanceLayered:
		return GatherImportance * (roots + each), 0
	case app.UniformDraws, app.InducedDrawer, app.ClusterDraws:
		return roots + each, 0
	case app.CollectiveStepper:
		s := a.CollectiveSteps()
		return roots, float64(max(0, s.MaxSize-s.StepSize))
	case app.FrontierTree:
		ends := 0.0
		level := roots
		for i, fanout := range a.TreeFanouts() {
			if level = min(level, float64(a.FrontierLimit())); i > 0 {
				ends += level
			}
			level *= float64(fanout)
		}
		return roots, ends
	}
	return roots, each / unreadVertices
}

// unreadVertices is about the number of vertices of a sample that is grown by edges, per row that is read: those of the last step
// are not expanded.
const unreadVertices = 8

// CallOf returns the call that makes the samples of a batch.
func CallOf(p Plan, b Batch) Call {
	return Call{
		App: p.Given, On: app.SizeOf(p.Graph), Samples: b.Roots.Samples(), RootWidth: b.Roots.Width, Threads: parallel.Threads(b.Threads),
	}
}

// Beyond compares the two ways to make samples that stay on a GPU, on a graph that exceeds its memory: the CPU makes them and
// copies them to the GPU, or the graph is copied there as p says.
func (c Call) Beyond(p Parts) Choice {
	e := c.InParts(c.Estimate(), p)
	e.CPU += c.UploadSeconds()
	e.GPU -= e.GPUTransfer
	return e.Choose(true, true)
}

// Beyond is Call.Beyond for a batch. If the batch has an order, the GPU makes the samples.
func (b Batch) Beyond(of Plan, p Parts) Choice {
	choice := CallOf(of, b).Beyond(p)
	choice.GPU = choice.GPU || b.Order != ""
	return choice
}

// UploadSeconds returns the expected time in which samples that the CPU has made are copied to a GPU.
func (c Call) UploadSeconds() float64 { return UploadStart + c.ResultBytes()/ResultUploadRate }
