// Package gpu is the engine for GPUs: a thread, or a group of threads, of the card makes a sample's choices, and the
// result stays on the card until somebody asks for it.
//
// One file holds one driver: what of the graph its kernels read, and how their parameters follow from the plan. Kernels
// are in kernels/: entries/ has their names. The law makes every sample a function of its id alone, so how rows are cut
// into launches, and what is in flight together, never shows.
package gpu

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Engine runs plans on a GPU.
type Engine struct {
	Device *cuda.Device
	Stream *cuda.Stream // that results are made in; nil: one of the engine's own
	Tuning Tuning
	// Program is that of the plan whose samples the engine makes; nil, or a program of another plan: the plan is compiled
	// at each call.
	Program *Program
	// Early has results returned before it is known how many vertices they have, where samples differ in length:
	// Result.Settle says that.
	Early bool
}

var _ engine.Engine = Engine{}

// Tuning overrides sizes of package plan, for tests: what comes out never changes. 0: as it is there.
type Tuning struct {
	LaunchSteps int64 // steps of one launch, about
	LaunchRows  int   // rows of one launch at least
	LegSteps    int   // steps of a leg at most
	HostRows    int   // rows that are copied to the host at a time
	LaneDegree  int   // computed biases: the longest row that a lane weighs
	Way         int   // which of a driver's ways is tried first
	// Mini-batches:
	NeighborhoodBlocks int // of a launch at most
	NeighborhoodRoom   int // edges and nodes that there is room for at first
	NeighborhoodHub    int // edges of a row that a block does by itself
	NeighborhoodSlots  int // of the queue for the others, a power of two
	RankRows           int // rows of personalised PageRank that are counted at a time
	RankSlots          int // of the table of each
	CrowdRows          int // rows that are walked in the order of their vertices together, however few they are
}

// Name is "cuda".
func (Engine) Name() string { return "cuda" }

// Run makes all samples of a batch on the card. It returns when all work has been given to the card; for samples that
// differ in length, and where there is so much work that it is handed over bit by bit, when most of it is done.
//
// Errors: DeviceError where the card is too small, or not there; refuse.ErrInterrupted once the job is stopped.
func (e Engine) Run(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (*Result, error) {
	return e.Rows(p, g, b, 0, b.Roots.Samples(), j)
}

// Rows makes the rows [lo, hi) of a batch: where the card cannot hold them all, or others wait for the first.
func (e Engine) Rows(p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (result *Result, err error) {
	w, err := e.compiled(p)
	if err != nil {
		return nil, err
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	err = e.Device.Do(func() error {
		r, err := e.begin(w, p, g, b, lo, hi, j)
		if err != nil {
			return err
		}
		if p.Width == 0 {
			result, err = r.ragged()
		} else {
			result, err = r.matrix()
		}
		return r.end(err)
	})
	if err == nil && result.later != nil {
		result.wait()
	}
	return result, err
}

// Layers refuses: no app with layered samples runs on a GPU yet.
func (Engine) Layers(p plan.Plan, _ *graph.Graph, _ plan.Batch, _ *job.Job) (output.Layers, error) {
	return output.Layers{}, refusal(p, "its samples are layered")
}

// refusal says why the CPU must run a plan.
func refusal(p plan.Plan, why string) error {
	return refuse.Device("device: %s does not run on a GPU: %s; use device=\"cpu\", or \"auto\"", p.App.Name(), why)
}
