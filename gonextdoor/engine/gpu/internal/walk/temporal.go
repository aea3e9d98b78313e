package walk

import (
	"strings"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Temporal runs walks along edges in order of time (kernels/driver/temporalwalk.cuh), one thread per walk. A launch
// leaves the last edge of each walk to the next launch, since the trace does not tell the times of parallel edges.
func Temporal(p plan.Plan) (launch.Spec, error) {
	kernels := map[app.TimeBias]launch.Variant{
		app.UniformInTime:     {Layout: resident.Temporal, Kernel: launch.Kernel{Name: "temporalwalk_uniform"}},
		app.LinearInTime:      {Layout: resident.Temporal, Kernel: launch.Kernel{Name: "temporalwalk_linear"}},
		app.ExponentialInTime: {Layout: resident.Temporal | resident.Decay, Kernel: launch.Kernel{Name: "temporalwalk_exponential"}},
	}
	a, ok := p.App.(app.TemporalWalker)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	v := kernels[a.TimeBias()]
	if a.TimeLimits().Given() {
		v.Layout |= resident.Times
		v.Kernel.Name = strings.Replace(v.Kernel.Name, "temporalwalk", "temporalwalk_limited", 1)
		return launch.Spec{
			Variants: []launch.Variant{v}, Calls: launch.Filled(timeLimits),
			Complete: "walks with a start or an end search all times",
		}, nil
	}
	parts := &parts.Spec{Kernel: strings.Replace(v.Kernel.Name, "temporalwalk", "temporal", 1), Layout: v.Layout, Words: 4}
	return launch.Spec{Variants: []launch.Variant{v}, Beyond: parts, Calls: launch.Filled(lastEdges)}, nil
}

// timeLimits uploads the limits in time of the walks of a run.
func timeLimits(r *launch.Run, w *kernels.Walk) error {
	if err := lastEdges(r, w); err != nil || r.Rows == 0 {
		return err
	}
	a := r.Plan.App.(app.TemporalWalker)
	limits, order := a.TimeLimits(), a.TimeOrder()
	// 1. Find the roots of the run, as the kernel numbers them. `before` are those that are not in GPU memory.
	first, end, before := 0, 1, 0
	if limits.Each() {
		repeat := r.Batch.Roots.Repeat
		first, end = int(w.B.Row)/repeat, (int(w.B.Row)+r.Rows-1)/repeat+1
		before = (int(w.B.First-r.Batch.First) + r.Batch.Roots.From) / repeat
		w.LimitStride = 3
	}
	ranges := make([]app.TimeRange, end-first)
	for i := range ranges {
		ranges[i] = limits.Of(order, before+first+i)
	}
	if order.Backward {
		w.Backward = 1
	}
	// 2. Copy their limits.
	m, err := r.Take(int64(len(ranges)) * int64(unsafe.Sizeof(app.TimeRange{})))
	if err != nil {
		return err
	}
	w.TimeLimits = uint64(m.Address) - uint64(first)*8*w.LimitStride
	return resident.Upload(r.Device, r.Stream, r.Options(), m.Address, resident.ArrayOf(ranges))
}

// lastEdges allocates the array of the last edges of all rows, unless the graph is copied part by part.
func lastEdges(r *launch.Run, w *kernels.Walk) error {
	if w.G.Temporal == 0 {
		return nil
	}
	m, err := r.Take(4 * int64(max(1, r.Rows)))
	w.LastEdges = uint64(m.Address)
	return err
}
