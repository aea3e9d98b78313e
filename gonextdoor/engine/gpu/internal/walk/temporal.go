package walk

import (
	"strings"

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
	parts := &parts.Spec{Kernel: strings.Replace(v.Kernel.Name, "temporalwalk", "temporal", 1), Layout: v.Layout, Words: 4}
	return launch.Spec{Variants: []launch.Variant{v}, Beyond: parts, Calls: launch.Filled(lastEdges)}, nil
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
