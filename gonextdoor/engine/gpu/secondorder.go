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

// secondOrderImage returns the name of an app's kernel image: the app's name in lower case. kernels/entry/table.go has an
// entry of that name for each app of DriverSecondOrder, so a new app needs no change here. The kernels of an app with outliers
// have the suffix "outliers".
func secondOrderImage(appName string) string { return strings.ToLower(appName) }

// secondOrderSpec returns the launchSpec of a second-order walk by rejection (kernels/driver/secondorder.cuh). If a bias
// depends on whether an edge from the previous vertex exists, variants with the bitmap of edges precede those that search
// rows; they need more memory.
func secondOrderSpec(p plan.Plan) (launchSpec, error) {
	a := p.App.(app.SecondOrderer)
	order := a.SecondOrder()
	tried, outliers := a.Outliers()
	image := secondOrderImage(a.Name())
	if outliers.Back > 0 {
		image += "outliers"
	}
	tables := tableVariants(image, a.Weights())
	var variants []variant
	for _, lookup := range []resident.Layout{resident.Bloom, 0} {
		for _, v := range tables {
			if a.Weights() == app.Yes {
				v.layout |= resident.Biases // for the scan of a row after all tries were rejected
			}
			switch {
			case outliers.Back == 0:
			case a.Weights() == app.Yes:
				v.layout |= resident.Reach
			default:
				v.layout |= resident.ParallelEdges
			}
			v.layout |= lookup
			variants = append(variants, v)
		}
	}
	if order.Near == order.Away {
		variants = variants[len(tables):] // no bias depends on a lookup
	}
	return launchSpec{variants: variants, exchange: &exchangeSpec{rest: image}, parts: secondOrderParts(a), calls: func() callbacks {
		var count cuda.Memory
		return callbacks{
			fill: func(_ *run, w *kernels.Walk) error {
				w.Back, w.Near, w.Away = order.Back, order.Near, order.Away
				w.TryNear, w.TryAway = tried.Near, tried.Away
				w.OutlierBack, w.ShortBack, w.ShortNear = outliers.Back, outliers.ShortBack, outliers.ShortNear
				return nil
			},
			reserve: func(r *run, w *kernels.Walk) (err error) {
				rejected, err := r.take(2 * 4 * int64(max(1, r.rows)))
				if err != nil {
					return err
				}
				w.T.Alive, w.T.Lengths = uint64(rejected.Address), uint64(rejected.Address)+4*uint64(r.rows)
				count, err = r.take(8)
				w.T.AliveCount = uint64(count.Address)
				return err
			},
			launch: func(r *run, a *kernels.Walk) error { return r.secondOrder(a, count) },
		}
	}}, nil
}

// outliersAhead reports whether kernels/app/node2vecahead.cuh can make the tries of an app with outliers.
func (r *run) outliersAhead(a *kernels.Walk) bool {
	const unit = 1 << 32
	weighted := r.plan.App.(app.SecondOrderer).Weights() == app.Yes
	slots := float64(r.graph.MaxDegree()) * (1 + float64(a.ShortNear)/unit + float64(max(a.OutlierBack, a.ShortBack))/unit)
	return a.OutlierBack > 0 && a.T.Edges == 0 && slots < unit-1024 && (weighted || a.G.Mirrored == 1 && a.G.Reach == 0)
}

// secondOrder launches both kernels of an app: the tries of all rows, and IMAGE_rest for the rows of which all tries of a
// step were rejected. The second kernel reads the number of these rows from GPU memory, so the host does not wait.
func (r *run) secondOrder(a *kernels.Walk, count cuda.Memory) error {
	if err := r.device.Fill32(count.Address, 0, 2, r.stream); err != nil {
		return err
	}
	rows := int64(a.B.Rows - a.B.From)
	first := r.kernel
	if r.outliersAhead(a) {
		first.name = first.image + "_ahead" + strings.TrimPrefix(first.name, first.image)
	}
	if err := r.launcher.threads(first, rows, unsafe.Pointer(a), unsafe.Sizeof(*a)); err != nil {
		return err
	}
	rest := *a
	rest.B.Alive, rest.B.AliveCount, rest.B.From, rest.B.Rows = a.T.Alive, a.T.AliveCount, 0, uint64(rows)
	k := r.kernel
	k.name = restName(k.name, k.image)
	most := int64(r.device.Multiprocessors * plan.RestBlocks * plan.GPUBlock)
	return r.launcher.threads(k, min(rows, most), unsafe.Pointer(&rest), unsafe.Sizeof(rest))
}

// restName returns the name of the kernel for the rows that a kernel leaves. prefix is the part of its name before the variant.
func restName(name, prefix string) string { return prefix + "_rest" + strings.TrimPrefix(name, prefix) }
