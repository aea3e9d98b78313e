package gpu

import (
	"fmt"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// frontierSpec runs walks of pools of vertices, whose next vertex is drawn by degree. 1, 8 or 32 lanes share a sample, so
// that each lane weighs at least plan.PoolEach vertices. The app's step program has the number of steps.
func frontierSpec(p plan.Plan) (launchSpec, error) {
	a, ok := p.App.(program.Stepped)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	roots := p.Width - a.Program().Steps
	parts := &partSpec{kernel: "pool", layout: resident.Rows, words: 4, degrees: true, pool: true}
	w := launchSpec{slowdown: int64(1 + roots/plan.PoolEach), parts: parts, calls: filled(func(r *run, a *kernels.Walk) error {
		vertices := int64(r.rows) * int64(roots)
		m, err := r.take(8 * max(1, vertices))
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(vertices)
		return err
	})}
	// The kernels for the largest suitable number of lanes come first, then those for fewer lanes, then the others.
	for _, lanes := range []int{1, 8, 32} {
		name := fmt.Sprintf("frontier_%d", lanes)
		variants := []variant{
			{resident.Packed, kernel{image: "frontier", name: name + "_packed", lanes: lanes}},
			{resident.Rows, kernel{image: "frontier", name: name + "_plain", lanes: lanes}},
		}
		if lanes == 1 || roots >= lanes*plan.PoolEach {
			w.variants = append(variants, w.variants...)
		} else {
			w.variants = append(w.variants, variants...)
		}
	}
	return w, nil
}
