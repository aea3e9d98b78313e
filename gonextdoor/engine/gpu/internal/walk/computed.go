package walk

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Computed runs walks by computed biases. Each kind of bias has a kernel; its parameters come from app.ComputedBias.
func Computed(p plan.Plan) (launch.Spec, error) {
	w := launch.Spec{Slowdown: plan.ComputedSlow}
	fill := func(*launch.Run, *kernels.Walk) error { return nil }
	a, ok := p.App.(app.Computing)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	bias := a.ComputedBias()
	switch bias.Kind {
	case app.BiasDegree:
		w.Variants = computedVariants("computed_degree", 0)
		w.Beyond = &parts.Spec{Kernel: "computed_degree", Layout: resident.Rows, Words: 2, Degrees: true}
		fill = func(r *launch.Run, w *kernels.Walk) error {
			w.Bound = app.LargestDegree(r.Graph)
			return nil
		}
	case app.BiasSecondOrder:
		w.Variants = append(
			computedVariants("computed_second", resident.Biases|resident.Bloom),
			computedVariants("computed_second", resident.Biases)...,
		)
		w.Complete = "a choice reads the rows of two vertices together"
		fill = func(_ *launch.Run, w *kernels.Walk) error {
			w.Back, w.Near, w.Away = bias.Order.Back, bias.Order.Near, bias.Order.Away
			return nil
		}
	default:
		return launch.Spec{}, launch.NoKernel(p)
	}
	w.Calls = func() launch.Callbacks {
		return launch.Callbacks{
			Fill: func(r *launch.Run, w *kernels.Walk) error { return launch.First(fill(r, w), takeQueue(r, w)) },
			Launch: func(r *launch.Run, a *kernels.Walk) error {
				return launchQueue(r, a, a)
			},
		}
	}
	return w, nil
}

// computedVariants returns the kernels of a kind of bias for packed and plain rows. reads are the other layouts.
func computedVariants(name string, reads resident.Layout) []launch.Variant {
	return []launch.Variant{
		{Layout: resident.Packed | reads, Kernel: launch.Kernel{Name: name + "_packed"}},
		{Layout: resident.Rows | reads, Kernel: launch.Kernel{Name: name + "_plain"}},
	}
}

// takeQueue sets the parameters of kernels whose lanes take rows from a queue. A lane weighs rows of up to LaneDegree edges;
// larger groups of threads weigh longer rows.
func takeQueue(r *launch.Run, a *kernels.Walk) error {
	queue, err := r.Take(8)
	a.Queue, a.LaneDegree = uint64(queue.Address), plan.LaneDegree
	if t := r.Engine.Tuning.LaneDegree; t > 0 {
		a.LaneDegree = uint64(t)
	}
	return err
}

// launchQueue starts as many threads as the GPU runs at once, but at most one warp per row. The threads take rows until the
// queue of the launch is empty. argument points to a parameter that begins with a.
func launchQueue(r *launch.Run, a *kernels.Walk, argument any) error {
	f, err := r.Launcher.Function(r.Kernel)
	if err != nil {
		return err
	}
	maxBlocks, err := f.Blocks(f.Block(), 0)
	if err != nil {
		return err
	}
	if err := r.Device.Fill32(uintptr(a.Queue), 0, 2, r.Stream); err != nil {
		return err
	}
	rows := int(a.B.Rows - a.B.From)
	warps := min(rows, maxBlocks*f.Block()/kernels.WarpSize)
	a.WarpRows = uint64(min(kernels.WarpSize, (rows+warps-1)/warps)) // a small number of rows is spread over many warps
	grid := cuda.Grid{Blocks: (warps*kernels.WarpSize + f.Block() - 1) / f.Block()}
	return f.Launch(grid, r.Stream, argument)
}
