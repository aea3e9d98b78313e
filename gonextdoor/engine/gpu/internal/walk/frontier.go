package walk

import (
	"fmt"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Frontier runs walks of pools of vertices, whose next vertex is drawn by degree. 1, 8 or 32 lanes share a sample, so
// that each lane weighs at least plan.PoolEach vertices. The app's step program has the number of steps.
func Frontier(p plan.Plan) (launch.Spec, error) {
	a, ok := p.App.(program.Stepped)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	roots := p.Width - a.Program().Steps
	parts := &parts.Spec{Kernel: "pool", Layout: resident.Rows, Words: 4, Degrees: true, Pool: true}
	w := launch.Spec{Slowdown: int64(1 + roots/plan.PoolEach), Beyond: parts, Calls: launch.Filled(func(r *launch.Run, a *kernels.Walk) error {
		vertices := int64(r.Rows) * int64(roots)
		m, err := r.Take(8 * max(1, vertices))
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(vertices)
		return err
	})}
	// The kernels for the largest suitable number of lanes come first, then those for fewer lanes, then the others.
	for _, lanes := range []int{1, 8, 32} {
		name := fmt.Sprintf("frontier_%d", lanes)
		variants := []launch.Variant{
			{Layout: resident.Packed, Kernel: launch.Kernel{Name: name + "_packed", Lanes: lanes}},
			{Layout: resident.Rows, Kernel: launch.Kernel{Name: name + "_plain", Lanes: lanes}},
		}
		if lanes == 1 || roots >= lanes*plan.PoolEach {
			w.Variants = append(variants, w.Variants...)
		} else {
			w.Variants = append(w.Variants, variants...)
		}
	}
	return w, nil
}
