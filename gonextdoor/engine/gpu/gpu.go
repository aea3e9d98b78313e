// Package gpu is the engine for NVIDIA GPUs. A thread, or a group of threads, makes the choices of a sample. The result
// stays in GPU memory until it is copied to the host.
//
// A plan is compiled to a launchSpec: the kernel variants, each with the graph layouts that it reads, and the functions that
// set the app's parameters. Each driver has a file with its launchSpec. The kernels are in kernels/. A sample depends on its
// id alone, so neither the number of launches nor the order of execution changes a result.
//
// Layered samples are made one at a time by a warp or a block, in a workspace of bounded size. A complete sample is staged in
// an arena, as one block. Once the sizes of all samples are known, prefix sums give their offsets, and the parts are copied to
// the arrays of the result. A sample that fits neither workspace nor arena is made again in a next round, with more memory:
// see layeredRun. If the graph does not fit, gatheredRows copies the rows that samples read. An app is added by its kernel
// (kernels/app, a class with grow, links and write_links) and its row in layeredApps.
//
// Order: the work of a call is submitted to one stream, and memory is allocated and freed in that stream. Calls that share
// a stream therefore reuse each other's memory without waiting. A result is complete when its event Ready is reached.
//
// Memory: a run frees its scratch memory at its end, in stream order. The caller owns the result and frees it.
//
// Threads: the functions of Engine and NeighborSampler are safe for concurrent use. They enter Device.Do themselves.
//
// The package is not under internal/ because tests of other modules run the engine without package gonextdoor.
package gpu

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Engine runs plans on a GPU. It is safe for concurrent use.
type Engine struct {
	Device *cuda.Device
	Stream *cuda.Stream // the stream of all work; nil: the engine's stream of the device
	Tuning Tuning
	// Program is the compiled form of the plan. If it is nil or belongs to another plan, each call compiles the plan.
	Program *Program
	// Early returns results before their number of vertices is known, if samples differ in length: see Result.Settle.
	Early bool
}

var _ engine.Engine = Engine{}

// Tuning overrides sizes of package plan, for tests. It never changes a result. A field that is 0 has no effect.
type Tuning struct {
	LaunchSteps int64      // approximate number of steps of one launch
	LaunchRows  int        // smallest number of rows of one launch
	ChunkSteps  int        // largest number of steps of a chunk
	HostRows    int        // rows that are copied to the host at a time
	LaneDegree  int        // computed biases: the longest row that one lane weighs
	Variant     int        // index of the variant that is tried first
	Order       plan.Order // of the steps of trees, if the batch names none
	// Mini-batches:
	NeighborBlocks   int  // largest number of blocks of a launch
	NeighborCapacity int  // edges and nodes for which there is memory at first
	NeighborHub      int  // edges of a row that one block expands alone
	NeighborSlots    int  // of the queue for the other blocks, a power of two
	NeighborPicks    int  // draws of a node that are stored in shared memory, at most plan.NeighborPicks
	NeighborHashed   bool // the id map is a hash table even if it takes more memory than a direct one
	NearEdges        int  // edges of a graph whose end points are in GPU memory while the host reads the others; -1: none
	WidePositions    bool // the host reads positions of 8 bytes
	RankRows         int  // rows of personalised PageRank that are counted at a time
	RankSlots        int  // of the table of each row
	PartitionedRows  int  // rows of a partitioned walk; it is then used for any number of rows
	Parts            int  // parts of a graph that is copied part by part, about; walks then run so on any graph
	PartSlots        int  // slots for these parts, 2 to 8
	GatheredEdges    int  // edges of rows of such a graph that are in GPU memory because samples have read them
	// Layered samples:
	LayeredCapacity int // vertices of a sample for which a workspace has memory at first
	LayeredArena    int // words of the first arena of complete samples
	LayeredLanes    int // threads per transit of a breadth-first sample; -1: transits are expanded one at a time
	LayeredGrid     int // blocks that make each sample together, if the app has such a kernel; -1: none do
	LayeredSearch   int // largest degree per vertex of a sample at which rows are scanned for links
}

// Name returns "cuda".
func (Engine) Name() string { return "cuda" }

// Run makes all samples of a batch in GPU memory. It returns when all work has been submitted. If samples differ in length,
// or the work is cut into several launches, most of it is complete by then. The caller frees the result.
//
// Errors: DeviceError if the GPU fails or its memory is too small; refuse.ErrInterrupted once the job is stopped.
func (e Engine) Run(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (*Result, error) {
	return e.Rows(p, g, b, 0, b.Roots.Samples(), j)
}

// Rows is Run for the rows [lo, hi) of a batch.
func (e Engine) Rows(p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (result *Result, err error) {
	spec, err := e.compiled(p)
	if err != nil {
		return nil, err
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	err = e.Device.Do(func() error {
		r, err := e.begin(spec, p, g, b, lo, hi, j)
		if err != nil {
			return err
		}
		switch {
		case spec.layered != nil:
			result, err = r.layered()
		case p.Width == 0:
			result, err = r.ragged()
		default:
			result, err = r.matrix()
		}
		return r.end(err)
	})
	if err == nil && result.later != nil {
		result.deferSettling()
	}
	return result, err
}

// refusal returns the error that says why the CPU must run a plan.
func refusal(p plan.Plan, why string) error {
	return refuse.Device("device: %s does not run on a GPU: %s; use device=\"cpu\", or \"auto\"", p.App.Name(), why)
}

// noKernel is the refusal of a plan for which there is no kernel.
func noKernel(p plan.Plan) error { return refusal(p, "there is no kernel for it") }
