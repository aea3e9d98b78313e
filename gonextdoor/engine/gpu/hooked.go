package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// The forms of users' walks (hook.Image.Form): the driver that the hooks were compiled with. Python writes these names.
const (
	byNext     = "next"     // one thread per walker, which calls the hook next
	byUniform  = "uniform"  // one thread per walker, uniform choices
	byAlias    = "alias"    // one thread per walker, choices by alias tables
	byBias     = "bias"     // one thread per walker, which evaluates edge_bias
	byComputed = "computed" // edge_bias is evaluated by the lanes of a warp together
	byWarp     = "warp"     // samples are made one at a time by a warp, see hookedsample.go
	byBlock    = "block"    // and by a block
)

// hookedRun is one run of a user's walk.
type hookedRun struct {
	program.GPUHooks
	roots int          // per sample
	user  kernels.User // the parameters and arrays of the hooks
	fault cuda.Memory  // 8 bytes: the lowest fault of the hooks, all ones if there is none

	lastEdges, poolEdges uint64 // of kernels.Hooked
}

// readByHooks is why users' apps need the complete graph in GPU memory.
const readByHooks = "its hooks may read any row"

// hookedSpec runs users' apps. Their hooks have been compiled for the GPU, or will be before the first run.
func hookedSpec(p plan.Plan) (launchSpec, error) {
	a, ok := p.App.(program.GPUHooked)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	g := a.Program()
	hooks, compiles := a.GPUHooks()
	switch {
	case !compiles:
		return launchSpec{}, refusal(p, "its hooks are Go functions, or compiled for the CPU only")
	case p.Layered || !g.Single() || p.Width == 0 && hooks.Reads.Has(hook.Sample):
		return hookedSampleSpec(p, g, hooks), nil
	}
	w := launchSpec{complete: readByHooks, variants: hookedVariants(hooks, p.Graph), sideBySide: g.VertexBias == nil, calls: func() callbacks {
		c := &hookedRun{GPUHooks: hooks}
		return callbacks{fill: c.fill, launch: c.launch, check: c.check}
	}}
	if p.Width == 0 {
		w.maxSteps = hook.MaxSteps
	}
	switch {
	case g.EdgeBias != nil && g.Bound == nil:
		w.slowdown = plan.UnboundSlow
	case g.EdgeBias != nil:
		w.slowdown = plan.ComputedSlow
	}
	return w, nil
}

// hookedVariants returns the kernel with the layouts that the hooks read. If they look up edges, the first variant has an
// edge bitmap; the second one, without, is for graphs whose bitmap does not fit the GPU's memory.
func hookedVariants(c program.GPUHooks, g *graph.Graph) []variant {
	want := resident.Rows
	if c.Image.Packed {
		want |= resident.Packed
	}
	if c.Image.Form == byAlias {
		want |= resident.Alias
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
	k := kernel{image: c.Image.Name, name: "hooks", text: c.Image.Bytes()}
	switch c.Image.Form {
	case byComputed:
		k.block = computedBlock
	case byWarp:
		k.block, k.lanes = layeredThreads, warp
	case byBlock:
		k.block, k.lanes = layeredThreads, layeredThreads
	}
	variants := []variant{{want, k}}
	if c.Reads.Has(hook.HasEdge) {
		variants = []variant{{want | resident.Bloom, k}, variants[0]}
	}
	return variants
}

// fill uploads the user's data, and allocates the state of walkers.
func (c *hookedRun) fill(r *run, a *kernels.Walk) error {
	if err := c.upload(r); err != nil {
		return err
	}
	if r.plan.Width == 0 {
		a.Most = hook.MaxSteps
	}
	return c.state(r, a)
}

// upload uploads the user's parameters and arrays, which the run frees at its end.
func (c *hookedRun) upload(r *run) (err error) {
	if !c.Image.Exists() {
		return refuse.Device("device: the app's hooks were not compiled for this GPU")
	}
	c.roots = r.batch.Roots.Width
	copy(c.user.Params[:], c.Params)
	for i, from := range c.Arrays {
		m, err := r.take(max(1, c.Image.ArrayBytes[i]))
		if err != nil {
			return err
		}
		c.user.Arrays[i] = kernels.Array{Address: uint64(m.Address), Length: uint64(from.Length)}
		if from.Length > 0 {
			at := *(*unsafe.Pointer)(unsafe.Pointer(&from.Address))
			if err := r.device.CopyIn(m.Address, at, c.Image.ArrayBytes[i], r.stream); err != nil {
				return err
			}
		}
	}
	if c.fault, err = r.take(8); err != nil {
		return err
	}
	c.user.Fault = uint64(c.fault.Address)
	return r.device.Fill32(c.fault.Address, ^uint32(0), 2, r.stream)
}

// state allocates the memory that keeps the state of walkers between launches.
func (c *hookedRun) state(r *run, a *kernels.Walk) error {
	walkers := int64(stride(r.rows)) * int64(r.walkers())
	if r.plan.Width > 0 {
		m, err := r.take(8 * max(1, walkers))
		if err != nil {
			return err
		}
		a.T.Ends, a.T.Previous = uint64(m.Address), uint64(m.Address)+4*uint64(walkers)
	}
	pool := int64(r.rows) * int64(c.roots)
	if !r.spec.sideBySide {
		m, err := r.take(8 * max(1, pool))
		if err != nil {
			return err
		}
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(pool)
	}
	if c.Reads.Has(hook.PrevEdge) {
		edges, n := &c.lastEdges, walkers
		if !r.spec.sideBySide {
			edges, n = &c.poolEdges, pool
		}
		if err := r.takeAll(buffer{edges, 8 * max(1, n), false}); err != nil {
			return err
		}
	}
	if c.Image.Form == byComputed {
		return r.pools(a)
	}
	return nil
}

// launch starts the kernel for a range of steps.
func (c *hookedRun) launch(r *run, a *kernels.Walk) error {
	h := kernels.Hooked{W: *a, User: c.user, LastEdges: c.lastEdges, PoolEdges: c.poolEdges}
	if c.Image.Form == byComputed {
		return r.fromPools(&h.W, unsafe.Pointer(&h), unsafe.Sizeof(h))
	}
	n := int64(a.B.Rows-a.B.From) * int64(r.walkers())
	if r.walkers() > 1 && c.Reads.Has(hook.Sample) {
		return c.stepwise(r, n, h)
	}
	return r.launcher.threads(r.kernel, n, unsafe.Pointer(&h), unsafe.Sizeof(h))
}

// stepwise starts one kernel per step. It is for samples of several walkers whose hooks read the vertices of the others,
// which must be complete before the next step. The first launch makes no step and writes the roots.
func (c *hookedRun) stepwise(r *run, n int64, h kernels.Hooked) error {
	begin, end := h.W.T.Begin, h.W.T.End
	if begin == 0 {
		h.W.T.End = 0
		if err := r.launcher.threads(r.kernel, n, unsafe.Pointer(&h), unsafe.Sizeof(h)); err != nil {
			return err
		}
	}
	for s := begin; s < end; s++ {
		h.W.T.Begin, h.W.T.End = s, s+1
		if err := r.launcher.threads(r.kernel, n, unsafe.Pointer(&h), unsafe.Sizeof(h)); err != nil {
			return err
		}
	}
	return nil
}

// check waits for the run and returns the lowest fault of its hooks, or nil.
func (c *hookedRun) check(r *run) error {
	cell, err := r.device.Pin(8)
	if err != nil {
		return err
	}
	err = first(r.device.CopyOut(cell.Pointer, c.fault.Address, 8, r.stream), r.stream.Synchronize())
	if err == nil {
		err = hook.Err(*(*uint64)(cell.Pointer), r.args.B.First)
	}
	return first(err, r.device.Unpin(cell))
}
