// Package gpu is the engine for NVIDIA GPUs. A thread, or a group of threads, makes the choices of a sample. The result
// stays in GPU memory until it is copied to the host.
//
// A plan is compiled to a Spec: the kernel variants, each with the graph layouts that it reads, and the functions that
// set the app's parameters. Each driver has a file with its Spec. The kernels are in kernels/. A sample depends on its
// id alone, so neither the number of launches nor the order of execution changes a result.
//
// Layered samples are made one at a time by a warp or a block, in a workspace of bounded size. A complete sample is staged in
// an arena, as one block. Once the sizes of all samples are known, prefix sums give their offsets, and the parts are copied to
// the arrays of the result. A sample that fits neither workspace nor arena is made again in a next round, with more memory:
// see package layered. If the graph does not fit, GatheredRows copies the rows that samples read.
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
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/neighbor"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/internal/rank"
	"gonextdoor/gonextdoor/engine/gpu/internal/walk"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine runs plans on a GPU. It is safe for concurrent use.
type Engine launch.Engine

// The types of the packages below that callers of an engine use.
type (
	Tuning          = launch.Tuning
	Program         = launch.Program
	Result          = launch.Result
	LayerArrays     = launch.LayerArrays
	VisitCounts     = launch.VisitCounts
	ExchangePart    = parts.ExchangePart
	NeighborSampler = neighbor.Sampler
	NeighborBatches = neighbor.Batches
	Batch           = neighbor.Batch
	PendingBatches  = neighbor.PendingBatches
	PinnedArenas    = neighbor.PinnedArenas
)

var _ engine.Engine = Engine{}

// Name returns "cuda".
func (Engine) Name() string { return "cuda" }

// Run makes all samples of a batch in GPU memory. It returns when all work has been submitted. If samples differ in length,
// or the work is cut into several launches, most of it is complete by then. The caller frees the result.
//
// Errors: DeviceError if the GPU fails or its memory is too small; refuse.ErrInterrupted once the job is stopped.
func (e Engine) Run(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (*launch.Result, error) {
	return e.Rows(p, g, b, 0, b.Roots.Samples(), j)
}

// Rows is Run for the rows [lo, hi) of a batch.
func (e Engine) Rows(p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (*launch.Result, error) {
	spec, err := compiled(launch.Engine(e), p)
	if err == nil {
		err = j.Err()
	}
	if err != nil {
		return nil, err
	}
	return launch.Rows(launch.Engine(e), spec, p, g, b, lo, hi, j)
}

// rows returns a function that makes ranges of the rows of a batch.
func (e Engine) rows(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) func(lo, hi int) (*launch.Result, error) {
	return func(lo, hi int) (*launch.Result, error) { return e.Rows(p, g, b, lo, hi, j) }
}

// Matrix makes samples of one width and copies them to the host, row by row. Each range of rows is copied while the next
// one is made; ranges are smaller if the GPU's memory does not hold two.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	each := launch.HostRows(launch.Engine(e), p.Width)
	if e.Tuning.HostRows == 0 && e.Sweeps(p, g, b) {
		each = b.Roots.Samples() // fewer if the GPU's memory is too small
	}
	return launch.CopyMatrix(each, e.rows(p, g, b, j), b, out, j)
}

// Sweeps reports whether a call of Matrix copies the graph to the GPU part by part.
func (e Engine) Sweeps(p plan.Plan, g *graph.Graph, b plan.Batch) bool {
	spec, err := compiled(launch.Engine(e), p)
	return err == nil && parts.InParts(launch.Engine(e), spec, g, b.Edges)
}

// Ragged makes samples that differ in length and copies them to the host: all at once, or in ranges of rows if the GPU's
// memory is too small.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	return launch.CopyRagged(e.rows(p, g, b, j), b, j)
}

// Layers makes layered samples and copies them to the host, likewise.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return launch.CopyLayers(e.rows(p, g, b, j), p.Records, b, j)
}

// Scores counts the visits of the walks of every row. The alias tables of s.From must have been built on the host. Rows are
// processed in ranges whose tables fit the GPU's memory. The result is lent from offheap.Results.
func (e Engine) Scores(s plan.Scores, j *job.Job) (output.Scores, error) {
	return rank.Scores(launch.Engine(e), s, j)
}

// CountVisits makes all samples of a batch without storing their traces. It adds how often each vertex is visited to counts
// and writes the last vertex of each sample to ends; either may be nil. It returns false, without having done anything,
// unless the choices depend on the present vertex alone and there are many walkers for the graph's size, or the graph does not
// fit into GPU memory. counts are those of the same engine. They are complete after the work that the call has submitted.
func (e Engine) CountVisits(p plan.Plan, g *graph.Graph, b plan.Batch, counts *launch.VisitCounts, ends []uint32, j *job.Job) (done bool, err error) {
	if spec, err := compiled(launch.Engine(e), p); err == nil && b.Roots.Width == 1 && parts.InParts(launch.Engine(e), spec, g, false) {
		return parts.CountVisits(launch.Engine(e), spec, p, g, b, counts, ends, j)
	}
	return walk.CountVisits(launch.Engine(e), p, g, b, counts, ends, j)
}

// NewVisitCounts returns counters that are 0. The caller frees them.
func (e Engine) NewVisitCounts(vertices int) (*launch.VisitCounts, error) {
	return launch.Engine(e).NewVisitCounts(vertices)
}

// NewNeighborSampler returns a sampler of mini-batches of a graph. The caller closes it.
func NewNeighborSampler(e Engine, h *graph.Hetero) *neighbor.Sampler {
	return &neighbor.Sampler{Engine: launch.Engine(e), Graph: h}
}

// ReadsDegreesOnly reports whether the GPU can draw mini-batches while the host reads the end points of their edges.
func ReadsDegreesOnly(h *graph.Hetero, m *app.NeighborSampling, s app.SeedNodes) bool {
	return neighbor.ReadsDegreesOnly(h, m, s)
}
