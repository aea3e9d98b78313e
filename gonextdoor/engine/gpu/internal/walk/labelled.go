package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Labelled runs walks along a path of labels. The kernels choose within rows partitioned by label. If those do not fit
// the GPU's memory, they count the edges with the step's label in the plain row.
func Labelled(p plan.Plan) (launch.Spec, error) {
	a := p.App.(app.LabelPath)
	name, reads, counts := "labelled", resident.Layout(0), resident.Rows|resident.Labels
	if a.Weights() == app.Computed {
		name, reads, counts = "labelled_search", resident.LabelWeights, counts|resident.Biases
	}
	return launch.Spec{
		Variants: []launch.Variant{
			{Layout: resident.PackedLabels | reads, Kernel: launch.Kernel{Name: name + "_packed"}},
			{Layout: resident.ByLabel | reads, Kernel: launch.Kernel{Name: name + "_plain"}},
			{Layout: counts, Kernel: launch.Kernel{Name: name + "_counted"}},
		},
		Exchange: &launch.Exchange{},
		Beyond:   &parts.Spec{Kernel: name, Layout: resident.ByLabel | reads, Words: 2},
		Calls: launch.Filled(func(r *launch.Run, w *kernels.Walk) error {
			w.PathLength, w.Threshold = uint64(len(a.Path())), a.Threshold()
			path := make([]int32, len(a.Path()))
			copy(path, a.Path())
			kindOf := r.KindOf
			if w.G.LabelRows != 0 { // ByLabel refers to labels by number
				kindOf = r.Resident.Kind
			}
			for i, label := range path {
				if kindOf != nil {
					path[i] = kindOf(label)
				}
			}
			if short, ok := shortPath(path); ok {
				w.ShortPath = short
				return nil
			}
			m, err := r.Take(4 * int64(len(path)))
			if err != nil {
				return err
			}
			w.Path = uint64(m.Address)
			return r.Device.CopyIn(m.Address, unsafe.Pointer(unsafe.SliceData(path)), m.Bytes, r.Stream)
		}),
	}, nil
}

// shortPath packs a path of up to 8 labels below 256 into a parameter, 8 bits per label. Such a path need not be copied to
// GPU memory. ok is false for other paths.
func shortPath(path []int32) (short uint64, ok bool) {
	if len(path) > 8 {
		return 0, false
	}
	for i, label := range path {
		if label < 0 || label > 255 {
			return 0, false
		}
		short |= uint64(label) << (8 * i)
	}
	return short, true
}
