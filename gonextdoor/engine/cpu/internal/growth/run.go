package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// programRun is one run of a program over a batch. All workers share it, and none modifies it.
type programRun struct {
	graph    *graph.Graph
	program  *program.StepProgram
	compiled program.Compiled   // the zero value if the hooks are Go functions
	aliases  []index.AliasSlot  // nil if choices do not follow edge weights
	inTime   index.TemporalRows // empty unless the program has Follows
	method   method
	batch    plan.Batch
	firstID  uint64 // id of the first row of the run, of which the batch may be a part
	stream   rng.Stream
	job      *job.Job
	width    int     // vertices per sample; 0 if samples differ in length
	lanes    int     // walkers per sample; 0 if samples are grown by levelExpansion
	stepEnds []int32 // end of each step among a sample's vertices; nil if each step has one vertex
}

// newRun prepares a run of an app that is an program.StepProgram. The tables of the plan must have been built.
func newRun(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) *programRun {
	r := &programRun{
		graph:   g,
		program: p.App.(program.Stepped).Program(),
		batch:   b,
		stream:  rng.NewStream(b.Seed, rng.Choices),
		job:     j,
		width:   p.Width,
	}
	if c, ok := p.App.(interface{ Compiled() program.Compiled }); ok {
		r.compiled = c.Compiled()
		r.firstID = r.compiled.State.Run.First
	}
	if r.program.Weighted == app.Yes {
		r.aliases = index.AliasOf(g)
	}
	if r.program.Follows != nil {
		r.inTime = index.TemporalRowsOf(g)
	}
	r.method = methodOf(r.program, r.aliases != nil)
	r.lanes = r.program.Lanes(b.Roots.Width)
	if r.lanes > 1 {
		for step := range r.program.Steps + 1 {
			r.stepEnds = append(r.stepEnds, int32(b.Roots.Width+step*r.lanes))
		}
	}
	return r
}

// groupSize returns the number of samples that one worker advances together.
func (r *programRun) groupSize() int { return max(1, plan.HookedGroup/max(1, r.lanes)) }

// unbounded reports whether a sample at this step has reached the step limit of programs that set no number of steps.
func (r *programRun) unbounded(step int) bool {
	return r.program.Steps == 0 && step == hook.MaxSteps && r.program.Faults != nil
}

// fault records an error of a user's hook, if the program records errors. row is the index of the sample in the run.
func (r *programRun) fault(row uint64, step int, kind hook.Kind) {
	if r.program.Faults != nil {
		r.program.Faults.Note(r.firstID+row, step, kind)
	}
}
