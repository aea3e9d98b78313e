package resident

import (
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// labelKinds finds the distinct labels on the host, which reads all labels once. Their number determines the size of label_rows.
func (b *builder) labelKinds() ([]int32, error) {
	kinds, err := index.LabelKinds(b.graph, b.options) // calls that only plan ask for them too, so they are kept
	if err == nil && (kinds == nil || len(kinds) > maxKinds) {
		kinds, err = index.Kinds(b.graph, maxKinds, b.options)
	}
	if err != nil {
		return nil, err
	}
	if kinds == nil || int64(len(kinds))*b.vertices() > maxLabelRows {
		return nil, refuse.Device("rows by label do not fit on a GPU: %d vertices have edges of more than %d labels; use device=\"cpu\"", b.vertices(), min(maxKinds, maxLabelRows/max(1, b.vertices())))
	}
	return kinds, nil
}

func byLabelArrays(b *builder) ([]array, error) {
	kinds, err := b.labelKinds()
	if err != nil {
		return nil, err
	}
	b.r.kinds = kinds
	b.part.scalars.LabelKinds = uint64(len(kinds))
	return []array{
		{bytes: deviceLong * (b.vertices()*int64(len(kinds)) + 1), zeros: true, along: byVertex},
		{bytes: deviceWord * b.edges(), along: byEdge}, {bytes: deviceWord * b.edges(), along: byEdge},
	}, nil
}

func fillByLabel(b *builder, at []uintptr) error {
	kinds := b.r.kinds
	if len(kinds) == 0 {
		return nil // the graph has no edge
	}
	list, err := b.scratch(deviceWord * int64(len(kinds)))
	if err != nil {
		return err
	}
	if err := b.upload(hostArray{list, address(kinds), deviceWord * int64(len(kinds))}); err != nil {
		return err
	}
	b.args.Offsets, b.args.Words, b.args.Positions = uint64(at[0]), uint64(at[1]), uint64(at[2])
	b.args.Kinds, b.args.G.LabelKinds = uint64(list), uint64(len(kinds))
	return b.launch("by_label", uint64(b.vertices()), warp)
}

func packedLabelsArrays(b *builder) ([]array, error) {
	if kinds := b.args.G.LabelKinds; kinds > kernels.PackedLabelBits {
		return nil, refuse.Device("the layout PackedLabels is for %d labels at most, and edges have %d", kernels.PackedLabelBits, kinds)
	}
	return perVertex(deviceQuad * b.vertices())
}

func fillPackedLabels(b *builder, at []uintptr) error {
	if b.args.G.LabelKinds == 0 {
		return nil // the graph has no edge
	}
	b.args.Quads = uint64(at[0])
	return b.launch("packed_labels", uint64(b.vertices()), 1)
}

// labelWeightsArrays are in the order of the rows by label, which are there when they are built.
func labelWeightsArrays(b *builder) ([]array, error) {
	kinds, err := b.labelKinds()
	if err != nil {
		return nil, err
	}
	return append([]array{b.biases()}, b.segments(b.vertices()*int64(len(kinds)))...), nil
}

func fillLabelWeights(b *builder, at []uintptr) error {
	if b.args.G.LabelKinds == 0 {
		return nil // the graph has no edge
	}
	b.args.Words, b.args.Offsets, b.args.Segments = uint64(at[0]), uint64(at[1]), uint64(at[2])
	if err := b.launch("label_biases", uint64(b.edges()), 1); err != nil {
		return err
	}
	return b.launch("label_segments", uint64(b.vertices()), warp)
}
