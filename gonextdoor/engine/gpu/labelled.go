package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
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
		parts:    &partSpec{kernel: "labelled", layout: resident.ByLabel, words: 2},
		calls: filled(func(r *run, w *kernels.Walk) error {
			w.PathLength, w.Threshold = uint64(len(a.Path())), a.Threshold()
			path := make([]int32, len(a.Path()))
			copy(path, a.Path())
			kindOf := r.kindOf
			if w.G.LabelRows != 0 { // ByLabel refers to labels by number
				kindOf = r.resident.Kind
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
			m, err := r.take(4 * int64(len(path)))
			if err != nil {
				return err
			}
			w.Path = uint64(m.Address)
			return r.device.CopyIn(m.Address, unsafe.Pointer(unsafe.SliceData(path)), m.Bytes, r.stream)
		}),
	}, nil
}

// planned returns the layout of parts, and the number of labels if they have rows by label: with too many labels, they have the
// label of each edge instead. It builds nothing, but reads the labels.
func (s *partSpec) planned(g *graph.Graph) (layout resident.Layout, kinds int, err error) {
	if s.layout&resident.ByLabel == 0 {
		return s.layout, 0, nil
	}
	labels, err := index.LabelKinds(g, graph.Options{})
	if labels == nil {
		return resident.Rows | resident.Labels, 0, err
	}
	return s.layout, len(labels), err
}

// buildLabelParts builds the rows by label that parts are taken from. If there are too many labels, the kernel counts the edges
// with the label of the step.
func (r *run) buildLabelParts() error {
	rows, err := index.LabelRowsOf(r.graph, r.graph.NumEdges(), r.options())
	if err != nil {
		return err
	}
	if rows.Kinds == nil {
		counted := *r.spec.parts
		counted.kernel, counted.layout = counted.kernel+"_counted", resident.Rows|resident.Labels
		r.spec.parts = &counted
		return nil
	}
	r.args.G.LabelKinds = uint64(len(rows.Kinds))
	r.kindOf = func(label int32) int32 { return int32(rows.Kind(label)) }
	return nil
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
