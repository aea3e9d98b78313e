package tree

import (
	"slices"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// treePartSpec returns the Spec of a tree; nil if it has no steps, or its choices need other kernels.
func treePartSpec(t tree) *parts.Spec {
	if len(t.fanouts) == 0 || slices.ContainsFunc(t.fanouts, t.isLong) {
		return nil
	}
	s := &parts.Spec{Layout: resident.Rows, Sweeps: len(t.fanouts)}
	switch {
	case t.weighted() && t.replace:
		s.Layout = resident.Alias
	case t.weighted():
		s.Layout = resident.Rows | resident.Alias | resident.Biases
	}
	s.Samples = func(r *launch.Run) error {
		variants := t.variants()
		r.Kernel = variants[len(variants)-1].Kernel
		r.Launcher.Limited = true
		one := &treeRun{tree: t, run: r, parts: &parts.Sweep{Run: r}}
		return launch.First(one.samples(), one.parts.End())
	}
	return s
}

// isLong reports whether the choices of a fan-out have more picks than fit the shared memory.
func (t tree) isLong(fanout int) bool {
	return !t.replace && fanout > plan.TreePicks && fanout < t.maxDegree
}

// sortAll selects transit order for all steps, and bounds the rows of a launch, so that there is memory to sort one transit of
// each.
func (t *treeRun) sortAll() error {
	t.orders = slices.Repeat([]plan.Order{plan.TransitOrder}, len(t.fanouts))
	most := t.run.Device.Total / plan.TransitShare / t.stagedBytes(slices.Max(t.fanouts))
	most -= most % kernels.WarpSize
	if most == 0 {
		return refuse.Device("%w: a pick of %d edges does not fit beside the parts of a graph that does not fit: use device=\"cpu\"",
			cuda.ErrMemory, slices.Max(t.fanouts))
	}
	t.rows = int(min(int64(t.rows), most))
	return nil
}

// picksInParts makes the picks of the sorted transits, part by part: those of a part are a range of the list.
//
// The words of a pick are keyed by its row, step and transit. So the order of the parts does not change a sample.
func (t *treeRun) picksInParts(a kernels.Tree, s treeStep) error {
	p := t.order.args.P
	return t.parts.Each(a.G, func(g kernels.Graph, lo, hi uint64) error {
		a.G, a.RowBegin, a.RowEnd = g, lo, hi
		a.SortedBegin = p.ToFirsts + 4*(lo>>p.Shift)
		a.SortedEnd = p.ToFirsts + 4*((hi-1)>>p.Shift+1)
		return t.picks(&a, s)
	})
}
