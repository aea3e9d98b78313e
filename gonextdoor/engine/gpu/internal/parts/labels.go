package parts

import (
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// planned returns the layout of parts, and the number of labels if they have rows by label: with too many labels, they have the
// label of each edge instead. It builds nothing, but reads the labels.
func (s *Spec) planned(g *graph.Graph) (layout resident.Layout, kinds int, err error) {
	if s.Layout&resident.ByLabel == 0 {
		return s.Layout, 0, nil
	}
	labels, err := index.LabelKinds(g, graph.Options{})
	if labels == nil {
		return s.counted(), 0, err
	}
	return s.Layout, len(labels), err
}

// counted returns the layout of parts without rows by label.
func (s *Spec) counted() resident.Layout {
	if s.Layout&resident.LabelWeights != 0 {
		return resident.Rows | resident.Labels | resident.Biases
	}
	return resident.Rows | resident.Labels
}

// buildLabelParts builds the rows by label that parts are taken from. If there are too many labels, the kernel counts the edges
// with the label of the step.
func buildLabelParts(r *launch.Run) error {
	rows, err := index.LabelRowsOf(r.Graph, r.Graph.NumEdges(), r.Options())
	if err != nil {
		return err
	}
	if rows.Kinds == nil {
		counted := *partsOf(r)
		counted.Kernel, counted.Layout = counted.Kernel+"_counted", counted.counted()
		r.Spec.Beyond = &counted
		return nil
	}
	if partsOf(r).Layout&resident.LabelWeights != 0 {
		if _, err := index.LabelWeightsOf(r.Graph, rows, r.Options()); err != nil {
			return err
		}
	}
	r.Args.G.LabelKinds = uint64(len(rows.Kinds))
	r.KindOf = func(label int32) int32 { return int32(rows.Kind(label)) }
	return nil
}
