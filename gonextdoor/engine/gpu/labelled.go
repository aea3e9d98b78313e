package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// labelledSpec runs walks along a path of labels. The kernels choose within rows partitioned by label. If those do not fit
// the GPU's memory, they count the edges with the step's label in the plain row.
func labelledSpec(p plan.Plan) (launchSpec, error) {
	a := p.App.(app.LabelPath)
	return launchSpec{
		variants: []variant{
			{resident.PackedLabels, kernel{image: "labelled", name: "labelled_packed"}},
			{resident.ByLabel, kernel{image: "labelled", name: "labelled_plain"}},
			{resident.Rows | resident.Labels, kernel{image: "labelled", name: "labelled_counted"}},
		},
		exchange: &exchangeSpec{},
		calls: filled(func(r *run, w *kernels.Walk) error {
			w.PathLength, w.Threshold = uint64(len(a.Path())), a.Threshold()
			path := make([]int32, len(a.Path()))
			copy(path, a.Path())
			if w.G.LabelRows != 0 { // ByLabel refers to labels by number
				for i, label := range path {
					path[i] = r.resident.Kind(label)
				}
			}
			if short, ok := shortPath(path); ok {
				w.ShortPath = short
				return nil
			}
			m, err := r.take(4 * int64(len(path)))
			if err != nil {
				return err
			}
			w.Path = uint64(m.Address)
			return r.device.CopyIn(m.Address, unsafe.Pointer(unsafe.SliceData(path)), m.Bytes, r.stream)
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
