package gpu

import (
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// temporalWalkSpec runs walks along edges in order of time (kernels/driver/temporalwalk.cuh), one thread per walk. A launch
// leaves the last edge of each walk to the next launch, since the trace does not tell the times of parallel edges.
func temporalWalkSpec(p plan.Plan) (launchSpec, error) {
	kernels := map[app.TimeBias]variant{
		app.UniformInTime:     {resident.Temporal, kernel{image: "temporalwalk", name: "temporalwalk_uniform"}},
		app.LinearInTime:      {resident.Temporal, kernel{image: "temporalwalk", name: "temporalwalk_linear"}},
		app.ExponentialInTime: {resident.Temporal | resident.Decay, kernel{image: "temporalwalk", name: "temporalwalk_exponential"}},
	}
	a, ok := p.App.(app.TemporalWalker)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	v := kernels[a.TimeBias()]
	parts := &partSpec{kernel: strings.Replace(v.kernel.name, "temporalwalk", "temporal", 1), layout: v.layout, words: 4}
	return launchSpec{variants: []variant{v}, parts: parts, calls: filled(lastEdges)}, nil
}

// lastEdges allocates the array of the last edges of all rows, unless the graph is copied part by part.
func lastEdges(r *run, w *kernels.Walk) error {
	if w.G.Temporal == 0 {
		return nil
	}
	m, err := r.take(4 * int64(max(1, r.rows)))
	w.LastEdges = uint64(m.Address)
	return err
}
