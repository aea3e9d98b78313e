package gpu

import (
	"strings"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// secondOrderSpec proposes, and asks for the edge to the vertex before where that decides: by the bitmap of edges, where
// there is room for one, before a row is searched. The rows with a step whose tries were all refused go to a second kernel.
func secondOrderSpec(p plan.Plan) (launchSpec, error) {
	a := p.App.(app.SecondOrderer)
	order := a.SecondOrder()
	image := "second"
	if order.Back == 0 {
		image = "nonbacktracking"
	}
	tables := tableVariants(image, a.Weights())
	var variants []variant
	for _, asked := range []resident.Layout{resident.Bloom, 0} {
		for _, w := range tables {
			if a.Weights() == app.Yes {
				w.layout |= resident.Biases // for the scan of a row whose tries were all refused
			}
			w.layout |= asked
			variants = append(variants, w)
		}
	}
	if order.Near == order.Away {
		variants = variants[len(tables):]
	}
	return launchSpec{variants: variants, calls: func() callbacks {
		var count cuda.Memory
		return callbacks{
			fill: func(r *run, w *kernels.Walk) (err error) {
				w.Back, w.Near, w.Away = order.Back, order.Near, order.Away
				left, err := r.take(2 * 4 * int64(max(1, r.rows)))
				if err != nil {
					return err
				}
				w.T.Alive, w.T.Lengths = uint64(left.Address), uint64(left.Address)+4*uint64(r.rows)
				count, err = r.take(8)
				w.T.AliveCount = uint64(count.Address)
				return err
			},
			launch: func(r *run, a *kernels.Walk) error { return r.secondOrder(a, count) },
		}
	}}, nil
}

// secondOrder launches both kernels. The second one reads on the card how many rows there are for it.
func (r *run) secondOrder(a *kernels.Walk, count cuda.Memory) error {
	if err := r.device.Fill32(count.Address, 0, 2, r.stream); err != nil {
		return err
	}
	rows := int64(a.B.Rows - a.B.From)
	if err := r.launcher.threads(r.kernel, rows, unsafe.Pointer(a), unsafe.Sizeof(*a)); err != nil {
		return err
	}
	rest := *a
	rest.B.Alive, rest.B.AliveCount, rest.B.From, rest.B.Rows = a.T.Alive, a.T.AliveCount, 0, uint64(rows)
	k := r.kernel
	k.name = k.image + "_rest" + strings.TrimPrefix(k.name, k.image)
	most := int64(r.device.Multiprocessors * plan.RestBlocks * plan.GPUBlock)
	return r.launcher.threads(k, min(rows, most), unsafe.Pointer(&rest), unsafe.Sizeof(rest))
}
