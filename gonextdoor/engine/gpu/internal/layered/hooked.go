package layered

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/walk"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// hookedSampleRun is one run of a user's app whose samples are made one at a time: all but walks. See kernels/driver/hookedsample.cuh.
type hookedSampleRun struct {
	walk.HookedRun
	program *program.StepProgram
	args    kernels.HookedSample
}

// Hooked runs users' apps of any kind.
func Hooked(p plan.Plan) (launch.Spec, error) {
	g, hooks, err := walk.HooksOf(p)
	if err != nil {
		return launch.Spec{}, err
	}
	expected := app.Expect(p.App, 1, app.SizeOf(p.Graph))
	s := &layeredSpec{most: math.MaxInt32, draws: true, more: 17, expected: bounded}
	if g.Steps > 0 {
		s.maxEnds = int64(g.Steps) + 1
	}
	if g.EdgeBias != nil && !g.Single() {
		s.candidates = min(int64(app.LargestDegree(p.Graph)), plan.LayeredCandidates)
		if g.Scope == program.Collective && expected.Operations < plan.LayeredCandidates {
			s.candidates = int64(expected.Operations)
		}
	}
	if p.Records && expected.Vertices < math.MaxInt32 {
		s.links = min(float64(p.Graph.NumEdges()), 4*inducedLinks(p, expected.Vertices)+2*expected.Vertices)
	}
	w := launch.Spec{Samples: s.samples, Complete: walk.ReadByHooks, Slowdown: plan.ComputedSlow, Calls: func() launch.Callbacks {
		c := &hookedSampleRun{HookedRun: walk.HookedRun{GPUHooks: hooks}, program: g}
		return launch.Callbacks{Fill: c.fill, Workspaces: c.workspaces, Argument: c.argument, Check: c.Check}
	}}
	more := resident.Layout(0)
	if g.Weighs(p.Graph) {
		more = resident.Alias | resident.Biases
	}
	if p.Records {
		more |= resident.IDs
	}
	for _, v := range walk.HookedVariants(hooks, p.Graph) {
		w.Variants = append(w.Variants, launch.Variant{Layout: v.Layout | more, Kernel: v.Kernel})
	}
	return w, nil
}

// bounded replaces the estimate of samples that nothing bounds.
func bounded(of app.Expected, _ int) app.Expected {
	if math.IsInf(of.Vertices+of.Operations, 1) {
		return app.Expected{Vertices: plan.LayeredUnbounded, Operations: plan.LayeredUnbounded}
	}
	return of
}

// fill uploads the user's data and the fan-outs.
func (c *hookedSampleRun) fill(r *launch.Run, _ *kernels.Walk) error {
	if err := c.Upload(r); err != nil {
		return err
	}
	a, fanouts := &c.args, make([]uint64, max(1, len(c.program.Fanouts)))
	for i := range fanouts {
		fanouts[i] = uint64(c.program.FanoutAt(i)) // app.All becomes NoEdge
	}
	a.User, a.Steps, a.FanoutCount = c.User, uint64(c.program.Steps), uint64(len(fanouts))
	a.ToVertices, a.ToEdges, a.Stride = r.Args.T.Vertices, r.Args.T.Edges, r.Args.T.Stride
	return launch.Put(&r.Scratch, &a.Fanouts, fanouts)
}

// workspaces returns the arrays of kernels.HookedSample. Every workspace has at least one tile.
func (c *hookedSampleRun) workspaces(capacity, groups int64) []launch.Buffer {
	a, n := &c.args, capacity*groups
	a.SumCapacity = uint64((capacity + kernels.RemainingTile - 1) / kernels.RemainingTile)
	return []launch.Buffer{
		launch.Array(&a.Nexts, 4*n), launch.Array(&a.Spans, 8*n), launch.Array(&a.Biases, 4*n),
		launch.Array(&a.Sums, 8*groups*int64(a.SumCapacity)),
	}
}

// argument returns the parameter of the kernel.
func (c *hookedSampleRun) argument(a *kernels.Layered) any {
	c.args.L = *a
	return &c.args
}
