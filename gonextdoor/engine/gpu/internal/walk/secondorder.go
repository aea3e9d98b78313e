package walk

import (
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// secondOrderImage returns the name of an app's kernel image: the app's name in lower case. kernels/entry/table.go has an
// entry of that name for each app of DriverSecondOrder, so a new app needs no change here. The kernels of an app with outliers
// have the suffix "outliers".
func secondOrderImage(appName string) string { return strings.ToLower(appName) }

// SecondOrder returns the Spec of a second-order walk by rejection (kernels/driver/secondorder.cuh). If a bias
// depends on whether an edge from the previous vertex exists, variants with the bitmap of edges precede those that search
// rows; they need more memory.
func SecondOrder(p plan.Plan) (launch.Spec, error) {
	a := p.App.(app.SecondOrderer)
	order := a.SecondOrder()
	tried, outliers := a.Outliers()
	image := secondOrderImage(a.Name())
	if outliers.Back > 0 {
		image += "outliers"
	}
	tables := TableVariants(image, a.Weights())
	var variants []launch.Variant
	for _, lookup := range []resident.Layout{resident.Bloom, 0} {
		for _, v := range tables {
			if a.Weights() == app.Yes {
				v.Layout |= resident.Biases // for the scan of a row after all tries were rejected
			}
			switch {
			case outliers.Back == 0:
			case a.Weights() == app.Yes:
				v.Layout |= resident.Reach
			default:
				v.Layout |= resident.ParallelEdges
			}
			v.Layout |= lookup
			variants = append(variants, v)
		}
	}
	if order.Near == order.Away {
		variants = variants[len(tables):] // no bias depends on a lookup
	}
	return launch.Spec{Variants: variants, Exchange: &launch.Exchange{Rest: image}, Beyond: parts.SecondOrder(a), Calls: func() launch.Callbacks {
		var count cuda.Memory
		return launch.Callbacks{
			Fill: func(_ *launch.Run, w *kernels.Walk) error {
				w.Back, w.Near, w.Away = order.Back, order.Near, order.Away
				w.TryNear, w.TryAway = tried.Near, tried.Away
				w.OutlierBack, w.ShortBack, w.ShortNear = outliers.Back, outliers.ShortBack, outliers.ShortNear
				return nil
			},
			Reserve: func(r *launch.Run, w *kernels.Walk) (err error) {
				rejected, err := r.Take(2 * 4 * int64(max(1, r.Rows)))
				if err != nil {
					return err
				}
				w.T.Alive, w.T.Lengths = uint64(rejected.Address), uint64(rejected.Address)+4*uint64(r.Rows)
				count, err = r.Take(8)
				w.T.AliveCount = uint64(count.Address)
				return err
			},
			Launch: func(r *launch.Run, a *kernels.Walk) error { return trySecondOrder(r, a, count) },
		}
	}}, nil
}

// outliersAhead reports whether kernels/app/node2vecahead.cuh can make the tries of an app with outliers.
func outliersAhead(r *launch.Run, a *kernels.Walk) bool {
	const unit = 1 << 32
	weighted := r.Plan.App.(app.SecondOrderer).Weights() == app.Yes
	slots := float64(r.Graph.MaxDegree()) * (1 + float64(a.ShortNear)/unit + float64(max(a.OutlierBack, a.ShortBack))/unit)
	return a.OutlierBack > 0 && a.T.Edges == 0 && slots < unit-1024 && (weighted || a.G.Mirrored == 1 && a.G.Reach == 0)
}

// trySecondOrder launches both kernels of an app: the tries of all rows, and IMAGE_rest for the rows of which all tries of a
// step were rejected. The second kernel reads the number of these rows from GPU memory, so the host does not wait.
func trySecondOrder(r *launch.Run, a *kernels.Walk, count cuda.Memory) error {
	if err := r.Device.Fill32(count.Address, 0, 2, r.Stream); err != nil {
		return err
	}
	rows := int64(a.B.Rows - a.B.From)
	first, image := r.Kernel, r.Spec.Exchange.Rest
	if outliersAhead(r, a) {
		first.Name = image + "_ahead" + strings.TrimPrefix(first.Name, image)
	}
	if err := r.Launcher.Threads(first, rows, a); err != nil {
		return err
	}
	rest := *a
	rest.B.Alive, rest.B.AliveCount, rest.B.From, rest.B.Rows = a.T.Alive, a.T.AliveCount, 0, uint64(rows)
	k := r.Kernel
	k.Name = launch.RestName(k.Name, image)
	most := int64(r.Device.Multiprocessors * plan.RestBlocks * plan.GPUBlock)
	return r.Launcher.Threads(k, min(rows, most), &rest)
}
