package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// The forms of users' walks: which driver their hooks were compiled with.
const (
	byNext     = "next"     // a thread a walker, by the hook next
	byUniform  = "uniform"  // the same, choices by equal biases
	byAlias    = "alias"    // by stored ones
	byBias     = "bias"     // by edge_bias, in the thread
	byComputed = "computed" // by edge_bias, by lanes that help each other
)

// custom is a run of a user's walk.
type custom struct {
	*app.Custom
	roots int
	user  kernels.User
	fault cuda.Memory // the cell of the lowest fault
}

// hookedSpec runs users' walks whose hooks were compiled for the card, or will be: one pick a step for each transit.
func hookedSpec(p plan.Plan) (launchSpec, error) {
	a, ok := p.App.(*app.Custom)
	if !ok {
		return launchSpec{}, refusal(p, "no kernel of it is there")
	}
	g := a.Program()
	switch {
	case !a.GPUCompilable():
		return launchSpec{}, refusal(p, "its hooks are Go functions, or code for the processors")
	case !g.Single():
		return launchSpec{}, refusal(p, "it picks several vertices at a step, or unique ones, or from all transits together")
	case p.Width == 0 && a.Reads.Has(hook.Sample):
		return launchSpec{}, refusal(p, "its hooks read earlier vertices of samples that have no fixed number of steps")
	}
	w := launchSpec{variants: (&custom{Custom: a}).variants(p.Graph), sideBySide: g.VertexBias == nil, calls: func() callbacks {
		c := &custom{Custom: a}
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

// variants are the layouts that the hooks read: with a bitmap of the edges, or without where there is no room for it.
func (c *custom) variants(g *graph.Graph) []variant {
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
		there  bool
	}{
		{hook.Weights, resident.Weights, g.Weighted()}, {hook.Largest, resident.Largest, g.Weighted()},
		{hook.Prefix, resident.Prefix, g.Weighted()}, {hook.Labels, resident.Labels, g.Labels != nil},
		{hook.EdgeIDs, resident.IDs, true},
	} {
		if c.Reads.Has(t.reads) && t.there {
			want |= t.layout
		}
	}
	k := kernel{image: c.Image.Name, name: "hooks", text: c.Image.Bytes()}
	if c.Image.Form == byComputed {
		k.block = computedBlock
	}
	variants := []variant{{want, k}}
	if c.Reads.Has(hook.HasEdge) {
		variants = []variant{{want | resident.Bloom, k}, variants[0]}
	}
	return variants
}

// fill brings the user's numbers and arrays to the card.
func (c *custom) fill(r *run, a *kernels.Walk) (err error) {
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
	if err := r.device.Fill32(c.fault.Address, ^uint32(0), 2, r.stream); err != nil {
		return err
	}
	if r.plan.Width == 0 {
		a.Most = hook.MaxSteps
	}
	return c.state(r, a)
}

// state takes the memory that walkers are kept in between launches.
func (c *custom) state(r *run, a *kernels.Walk) error {
	walkers := int64(stride(r.rows)) * int64(r.walkers())
	if r.plan.Width > 0 {
		m, err := r.take(8 * max(1, walkers))
		if err != nil {
			return err
		}
		a.T.Ends, a.T.Previous = uint64(m.Address), uint64(m.Address)+4*uint64(walkers)
	}
	if !r.spec.sideBySide {
		pool := int64(r.rows) * int64(c.roots)
		m, err := r.take(8 * max(1, pool))
		if err != nil {
			return err
		}
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(pool)
	}
	if c.Image.Form == byComputed {
		return r.pools(a)
	}
	return nil
}

// launch starts the steps of a launch.
func (c *custom) launch(r *run, a *kernels.Walk) error {
	h := kernels.Hooked{W: *a, User: c.user}
	if c.Image.Form == byComputed {
		return r.fromPools(&h.W, unsafe.Pointer(&h), unsafe.Sizeof(h))
	}
	n := int64(a.B.Rows-a.B.From) * int64(r.walkers())
	if r.walkers() > 1 && c.Reads.Has(hook.Sample) {
		return c.stepwise(r, n, h)
	}
	return r.launcher.threads(r.kernel, n, unsafe.Pointer(&h), unsafe.Sizeof(h))
}

// stepwise starts one step at a time, for walkers side by side that look at each other's vertices: first at the roots.
func (c *custom) stepwise(r *run, n int64, h kernels.Hooked) error {
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

// check waits for the run, and gives the lowest fault of its hooks.
func (c *custom) check(r *run) error {
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
