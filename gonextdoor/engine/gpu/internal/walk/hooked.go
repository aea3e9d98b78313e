package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// The forms of users' walks (hook.Image.Form): the driver that the hooks were compiled with. Python writes these names.
const (
	byNext     = "next"     // one thread per walker, which calls the hook next
	byUniform  = "uniform"  // one thread per walker, uniform choices
	byAlias    = "alias"    // one thread per walker, choices by alias tables
	byBias     = "bias"     // one thread per walker, which evaluates edge_bias
	byTime     = "timed"    // the same among the edges that may follow the last one in time
	byComputed = "computed" // edge_bias is evaluated by the lanes of a warp together
	byWarp     = "warp"     // samples are made one at a time by a warp, see hookedsample.go
	byBlock    = "block"    // and by a block
)

// HookedRun is one run of a user's walk.
type HookedRun struct {
	program.GPUHooks
	roots int          // per sample
	User  kernels.User // the parameters and arrays of the hooks
	fault cuda.Memory  // 8 bytes: the lowest fault of the hooks, all ones if there is none

	lastEdges, poolEdges uint64 // of kernels.Hooked
}

// ReadByHooks is why users' apps need the complete graph in GPU memory.
const ReadByHooks = "its hooks may read any row"

// HooksOf returns the step program of a user's app and its hooks, which are compiled for the GPU before the first run.
func HooksOf(p plan.Plan) (*program.StepProgram, program.GPUHooks, error) {
	a, ok := p.App.(program.GPUHooked)
	if !ok {
		return nil, program.GPUHooks{}, launch.NoKernel(p)
	}
	hooks, compiles := a.GPUHooks()
	if !compiles {
		return nil, program.GPUHooks{}, launch.Refusal(p, "its hooks are Go functions, or compiled for the CPU only")
	}
	return a.Program(), hooks, nil
}

// WalksByHooks reports whether the samples of a user's app are walks, for Hooked. Samples of other apps are made one at a
// time.
func WalksByHooks(p plan.Plan) bool {
	g, hooks, err := HooksOf(p)
	return err != nil || !p.Layered && g.Single() && (p.Width > 0 || !hooks.Reads.Has(hook.Sample))
}

// Hooked runs users' walks.
func Hooked(p plan.Plan) (launch.Spec, error) {
	g, hooks, err := HooksOf(p)
	if err != nil {
		return launch.Spec{}, err
	}
	w := launch.Spec{Complete: ReadByHooks, Variants: HookedVariants(hooks, p.Graph), SideBySide: g.VertexBias == nil, Calls: func() launch.Callbacks {
		c := &HookedRun{GPUHooks: hooks}
		return launch.Callbacks{Fill: c.fill, Launch: c.launch, Check: c.Check}
	}}
	if p.Width == 0 {
		w.MaxSteps = hook.MaxSteps
	}
	switch {
	case g.EdgeBias != nil && g.Bound == nil:
		w.Slowdown = plan.UnboundSlow
	case g.EdgeBias != nil:
		w.Slowdown = plan.ComputedSlow
	}
	return w, nil
}

// HookedVariants returns the kernel with the layouts that the hooks read. If they look up edges, the first variant has an
// edge bitmap; the second one, without, is for graphs whose bitmap does not fit the GPU's memory.
func HookedVariants(c program.GPUHooks, g *graph.Graph) []launch.Variant {
	want := resident.Rows
	if c.Image.Packed {
		want |= resident.Packed
	}
	if c.Image.Form == byAlias {
		want |= resident.Alias
	}
	if c.Timed || c.Image.Form == byTime {
		want |= resident.Temporal
	}
	for _, t := range []struct {
		reads  hook.Reads
		layout resident.Layout
		exists bool
	}{
		{hook.Weights, resident.Weights, g.Weighted()}, {hook.Largest, resident.Largest, g.Weighted()},
		{hook.Prefix, resident.Prefix, g.Weighted()}, {hook.Labels, resident.Labels, g.Labels != nil},
		{hook.EdgeIDs, resident.IDs, true}, {hook.Times, resident.Times, g.Times != nil},
	} {
		if c.Reads.Has(t.reads) && t.exists {
			want |= t.layout
		}
	}
	k := launch.Kernel{Load: func(d *cuda.Device) (function.Function, error) {
		return function.LoadHooks(d, c.Image.Name, c.Image.Form, c.Image.Bytes())
	}}
	switch c.Image.Form {
	case byWarp:
		k.Lanes = kernels.WarpSize
	case byBlock:
		k.Lanes = kernels.LayeredThreads
	}
	variants := []launch.Variant{{Layout: want, Kernel: k}}
	if c.Reads.Has(hook.HasEdge) {
		variants = []launch.Variant{{Layout: want | resident.Bloom, Kernel: k}, variants[0]}
	}
	return variants
}

// fill uploads the user's data, and allocates the state of walkers.
func (c *HookedRun) fill(r *launch.Run, a *kernels.Walk) error {
	if err := c.Upload(r); err != nil {
		return err
	}
	if r.Plan.Width == 0 {
		a.Most = hook.MaxSteps
	}
	return c.allocateState(r, a)
}

// Upload uploads the user's parameters and arrays, which the run frees at its end.
func (c *HookedRun) Upload(r *launch.Run) (err error) {
	if !c.Image.Exists() {
		return refuse.Device("device: the app's hooks were not compiled for this GPU")
	}
	c.roots = r.Batch.Roots.Width
	copy(c.User.Params[:], c.Params)
	for i, from := range c.Arrays {
		m, err := r.Take(max(1, c.Image.ArrayBytes[i]))
		if err != nil {
			return err
		}
		c.User.Arrays[i] = kernels.Array{Address: uint64(m.Address), Length: uint64(from.Length)}
		if from.Length > 0 {
			at := *(*unsafe.Pointer)(unsafe.Pointer(&from.Address))
			if err := r.Device.CopyIn(m.Address, at, c.Image.ArrayBytes[i], r.Stream); err != nil {
				return err
			}
		}
	}
	if c.fault, err = r.Take(8); err != nil {
		return err
	}
	c.User.Fault = uint64(c.fault.Address)
	return r.Device.Fill32(c.fault.Address, ^uint32(0), 2, r.Stream)
}

// allocateState allocates the memory that keeps the state of walkers between launches.
func (c *HookedRun) allocateState(r *launch.Run, a *kernels.Walk) error {
	walkers := int64(launch.Stride(r.Rows)) * int64(r.Walkers())
	if r.Plan.Width > 0 {
		m, err := r.Take(8 * max(1, walkers))
		if err != nil {
			return err
		}
		a.T.Ends, a.T.Previous = uint64(m.Address), uint64(m.Address)+4*uint64(walkers)
	}
	pool := int64(r.Rows) * int64(c.roots)
	if !r.Spec.SideBySide {
		m, err := r.Take(8 * max(1, pool))
		if err != nil {
			return err
		}
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(pool)
	}
	if c.Reads.Has(hook.PrevEdge) {
		edges, n := &c.lastEdges, walkers
		if !r.Spec.SideBySide {
			edges, n = &c.poolEdges, pool
		}
		if err := r.TakeAll(launch.Array(edges, 8*max(1, n))); err != nil {
			return err
		}
	}
	if c.Image.Form == byComputed {
		return takeQueue(r, a)
	}
	return nil
}

// launch starts the kernel for a range of steps.
func (c *HookedRun) launch(r *launch.Run, a *kernels.Walk) error {
	h := kernels.Hooked{W: *a, User: c.User, LastEdges: c.lastEdges, PoolEdges: c.poolEdges}
	if c.Image.Form == byComputed {
		return launchQueue(r, &h.W, &h)
	}
	n := int64(a.B.Rows-a.B.From) * int64(r.Walkers())
	if r.Walkers() > 1 && c.Reads.Has(hook.Sample) {
		return c.stepwise(r, n, h)
	}
	return r.Launcher.Threads(r.Kernel, n, &h)
}

// stepwise starts one kernel per step. It is for samples of several walkers whose hooks read the vertices of the others,
// which must be complete before the next step. The first launch makes no step and writes the roots.
func (c *HookedRun) stepwise(r *launch.Run, n int64, h kernels.Hooked) error {
	begin, end := h.W.T.Begin, h.W.T.End
	if begin == 0 {
		h.W.T.End = 0
		if err := r.Launcher.Threads(r.Kernel, n, &h); err != nil {
			return err
		}
	}
	for s := begin; s < end; s++ {
		h.W.T.Begin, h.W.T.End = s, s+1
		if err := r.Launcher.Threads(r.Kernel, n, &h); err != nil {
			return err
		}
	}
	return nil
}

// Check waits for the run and returns the lowest fault of its hooks, or nil.
func (c *HookedRun) Check(r *launch.Run) error {
	cell, err := r.Device.Pin(8)
	if err != nil {
		return err
	}
	err = launch.First(r.Device.CopyOut(cell.Pointer, c.fault.Address, 8, r.Stream), r.Stream.Synchronize())
	if err == nil {
		err = hook.Err(*(*uint64)(cell.Pointer), r.Args.B.First)
	}
	return launch.First(err, r.Device.Unpin(cell))
}
