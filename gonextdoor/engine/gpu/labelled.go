package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// labelledWork walks along labels by rows partitioned by label, or, where they are too large, by counting through rows.
func labelledWork(p plan.Plan) (work, error) {
	a := p.App.(*app.MetaPath)
	return work{
		ways: []way{
			{resident.PackedLabels, kernel{image: "labelled", name: "labelled_packed"}},
			{resident.ByLabel, kernel{image: "labelled", name: "labelled_plain"}},
			{resident.Rows | resident.Labels, kernel{image: "labelled", name: "labelled_counted"}},
		},
		fill: func(r *run, w *kernels.Walk) error {
			path := make([]int32, len(a.Labels))
			copy(path, a.Labels)
			if w.G.LabelRows != 0 { // labels go by their numbers then
				for i, label := range path {
					path[i] = r.resident.Kind(label)
				}
			}
			m, err := r.take(4 * int64(len(path)))
			if err != nil {
				return err
			}
			w.Path, w.PathLength, w.Threshold = uint64(m.Address), uint64(len(path)), a.Threshold()
			return r.device.CopyIn(m.Address, unsafe.Pointer(unsafe.SliceData(path)), m.Bytes, r.stream)
		},
	}, nil
}
