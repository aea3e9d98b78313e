package gpu

import (
	"errors"

	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// Exchanges reports whether several GPUs can make the samples of a plan by Exchange: walks of a fixed length whose state is the
// last two vertices of the trace.
func (e Engine) Exchanges(p plan.Plan) bool {
	spec, err := compiled(launch.Engine(e), p)
	return err == nil && spec.Exchange != nil && p.Width > 1
}

// Exchange makes the samples of a batch on several GPUs together. The step of a walk is made by the GPU that has its vertex in
// [Low, High), which writes it to the result in the memory of another GPU. The ranges of vertices and those of rows each cut
// all of them without overlap. The samples equal those of Rows for any ranges.
//
// A step is a launch per GPU, after which each GPU waits for all others by events. The host waits only for the end. Result i is
// that of part i, nil if it has no rows; the caller frees the results.
//
// Errors: DeviceError if a GPU fails, or its memory is too small for its result; refuse.ErrInterrupted once the job is stopped.
// After an error nothing is held.
//
// If the batch has no order, and each GPU has replicas of nearly all edges, it does nothing and returns nil: reads of other GPUs'
// memory are then rare.
func Exchange(of []parts.ExchangePart, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]*launch.Result, error) {
	if err := j.Err(); err != nil {
		return nil, err
	}
	spec, err := compiled(of[0].Engine, p)
	if err != nil {
		return nil, err
	}
	return parts.Exchange(spec, of, p, g, b, j)
}

// PlanParts returns the parts that the engine copies for a plan, if the graph does not fit into the memory that graphs may
// take, or plan.Parts{}. The error says why the graph cannot be cut. It builds and copies nothing.
func (e Engine) PlanParts(p plan.Plan, edges bool) (plan.Parts, error) {
	spec, err := compiled(launch.Engine(e), p)
	if err != nil || spec.Beyond == nil || !launch.Exceeds(launch.Engine(e), spec, p.Graph, edges) {
		return plan.Parts{}, err
	}
	return spec.Beyond.Plan(launch.Engine(e), p, edges)
}

// Exceeds returns why the engine cannot run a plan: no variant's layouts fit into the memory that graphs may take, and the plan
// runs neither part by part nor row by row, or the graph cannot be cut for it. The error wraps resident.ErrRoom. It returns
// nil for plans that run. It builds and copies nothing.
func (e Engine) Exceeds(p plan.Plan, edges bool) error {
	spec, err := compiled(launch.Engine(e), p)
	if err != nil {
		return nil // not for lack of memory
	}
	if spec.Beyond != nil {
		if _, err = e.PlanParts(p, edges); errors.Is(err, resident.ErrRoom) {
			return err
		}
		return nil
	}
	return launch.ExceedsWhole(launch.Engine(e), p, spec, edges)
}

// RunsInParts reports whether a plan runs on a GPU whose memory the graph exceeds.
func (e Engine) RunsInParts(p plan.Plan) bool {
	spec, err := compiled(launch.Engine(e), p)
	return err == nil && spec.Beyond != nil
}
