package gpu

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// frontierSpec walks pools of vertices: as many lanes make a sample together as weigh plan.PoolEach vertices each.
func frontierSpec(p plan.Plan) (launchSpec, error) {
	a, ok := p.App.(*app.MultiDimensionalWalk)
	if !ok {
		return launchSpec{}, refusal(p, "no kernel of it is there")
	}
	roots := p.Width - a.Length
	w := launchSpec{slowdown: int64(1 + roots/plan.PoolEach), calls: filled(func(r *run, a *kernels.Walk) error {
		vertices := int64(r.rows) * int64(roots)
		m, err := r.take(8 * max(1, vertices))
		a.Pool, a.PoolPrevious = uint64(m.Address), uint64(m.Address)+4*uint64(vertices)
		return err
	})}
	for _, lanes := range []int{1, 8, 32} { // as kernels are there
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
