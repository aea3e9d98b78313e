package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// computedBlock is the number of threads per block, which weigh the row of a hub together: ComputedThreads of
// kernels/driver/computed.cuh.
const computedBlock = 128

// computedSpec runs walks by computed biases. Each kind of bias has a kernel; its parameters come from app.ComputedBias.
func computedSpec(p plan.Plan) (launchSpec, error) {
	w := launchSpec{slowdown: plan.ComputedSlow}
	fill := func(*run, *kernels.Walk) error { return nil }
	a, ok := p.App.(app.Computing)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	bias := a.ComputedBias()
	switch bias.Kind {
	case app.BiasWeight:
		w.variants = computedVariants("computed_weight", resident.Biases|resident.RowTries)
		w.parts = computedParts("computed_weight", resident.Biases|resident.RowTries)
	case app.BiasDegree:
		w.variants = computedVariants("computed_degree", 0)
		w.parts = computedParts("computed_degree", 0)
		w.parts.degrees = true
		fill = func(r *run, w *kernels.Walk) error {
			w.Bound = app.LargestDegree(r.graph)
			return nil
		}
	case app.BiasStopping:
		w.variants, w.maxSteps, w.meanSteps = computedVariants("computed_stopping", resident.Biases|resident.RowTries), bias.MostSteps, p.App.(app.Stopper).MeanSteps()
		w.parts = computedParts("computed_stopping", resident.Biases|resident.RowTries)
		fill = func(_ *run, w *kernels.Walk) error {
			w.Threshold, w.Most = bias.Threshold, uint64(bias.MostSteps)
			return nil
		}
	case app.BiasSecondOrder:
		w.variants = append(
			computedVariants("computed_second", resident.Biases|resident.Bloom),
			computedVariants("computed_second", resident.Biases)...,
		)
		w.complete = "a choice reads the rows of two vertices together"
		fill = func(_ *run, w *kernels.Walk) error {
			w.Back, w.Near, w.Away = bias.Order.Back, bias.Order.Near, bias.Order.Away
			return nil
		}
	case app.BiasLabelled:
		w.variants = computedVariants("computed_labelled", resident.Biases|resident.Labels)
		w.parts = computedParts("computed_labelled", resident.Biases|resident.Labels)
		fill = func(r *run, w *kernels.Walk) error {
			w.Threshold, w.PathLength = bias.Threshold, uint64(len(bias.Labels))
			labels, err := r.take(4 * int64(len(bias.Labels)))
			if err != nil {
				return err
			}
			w.Path = uint64(labels.Address)
			return r.device.CopyIn(labels.Address, unsafe.Pointer(unsafe.SliceData(bias.Labels)), labels.Bytes, r.stream)
		}
	default:
		return launchSpec{}, noKernel(p)
	}
	w.calls = func() callbacks {
		return callbacks{
			fill:   func(r *run, w *kernels.Walk) error { return first(fill(r, w), r.pools(w)) },
			launch: func(r *run, a *kernels.Walk) error { return r.fromPools(a, unsafe.Pointer(a), unsafe.Sizeof(*a)) },
		}
	}
	return w, nil
}

// computedVariants returns the kernels of a kind of bias for packed and plain rows. reads are the other layouts.
func computedVariants(name string, reads resident.Layout) []variant {
	return []variant{
		{resident.Packed | reads, kernel{image: "computed", name: name + "_packed", block: computedBlock}},
		{resident.Rows | reads, kernel{image: "computed", name: name + "_plain", block: computedBlock}},
	}
}

// computedParts returns the partSpec of a kind of bias that depends on the edges of the present vertex alone.
func computedParts(name string, reads resident.Layout) *partSpec {
	return &partSpec{kernel: name, layout: resident.Rows | reads, words: 2}
}

// pools sets the parameters of kernels whose lanes take rows from a queue. A lane weighs rows of up to LaneDegree edges;
// larger groups of threads weigh longer rows.
func (r *run) pools(a *kernels.Walk) error {
	queue, err := r.take(8)
	a.Queue, a.LaneDegree = uint64(queue.Address), plan.LaneDegree
	if t := r.engine.Tuning.LaneDegree; t > 0 {
		a.LaneDegree = uint64(t)
	}
	return err
}

// fromPools starts as many threads as the GPU runs at once, but at most one warp per row. The threads take rows until the
// queue of the launch is empty. The argument begins with a.
func (r *run) fromPools(a *kernels.Walk, argument unsafe.Pointer, size uintptr) error {
	f, err := r.launcher.function(r.kernel)
	if err != nil {
		return err
	}
	maxBlocks, err := f.Blocks(r.kernel.block, 0)
	if err != nil {
		return err
	}
	if err := r.device.Fill32(uintptr(a.Queue), 0, 2, r.stream); err != nil {
		return err
	}
	rows := int(a.B.Rows - a.B.From)
	warps := min(rows, maxBlocks*r.kernel.block/warp)
	a.WarpRows = uint64(min(warp, (rows+warps-1)/warps)) // a small number of rows is spread over many warps
	grid := cuda.Grid{Blocks: (warps*warp + r.kernel.block - 1) / r.kernel.block, Threads: r.kernel.block}
	return f.Launch(grid, r.stream, argument, size)
}
