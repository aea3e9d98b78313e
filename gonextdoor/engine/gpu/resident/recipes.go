package resident

import (
	"math/bits"
	"unsafe"

	"gonextdoor/kernels"
)

const warp = 32 // lanes

// recipes say how the layouts are made. Sizes are those of kernels/core/args.cuh.
var recipes map[Layout]recipe

func init() {
	recipes = map[Layout]recipe{
		Rows:      {rowsArrays, fillRows},
		Packed:    {func(b *builder) ([]array, error) { return one(deviceQuad * b.records()) }, fillPacked},
		Wide:      {func(b *builder) ([]array, error) { return one(deviceQuad * b.edges()) }, fillWide},
		Biases:    {func(b *builder) ([]array, error) { return one(deviceWord * b.edges()) }, fillBiases},
		Alias:     {func(b *builder) ([]array, error) { return one(deviceQuad * b.edges()) }, fillAlias},
		WideAlias: {func(b *builder) ([]array, error) { return one(2 * deviceQuad * b.edges()) }, fillWideAlias},
		Labels:    {func(b *builder) ([]array, error) { return one(deviceWord * b.edges()) }, fillLabels},
		IDs:       {idsArrays, fillIDs},
		ByLabel:   {byLabelArrays, fillByLabel},
		Mirrored:  {func(*builder) ([]array, error) { return nil, nil }, fillMirrored},
		Bloom:     {bloomArrays, fillBloom},
		Weights:   {func(b *builder) ([]array, error) { return one(deviceLong * b.edges()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Weights })},
		Largest:   {func(b *builder) ([]array, error) { return one(deviceLong * b.vertices()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Largest })},
		Prefix:    {func(b *builder) ([]array, error) { return one(deviceLong * b.edges()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Prefix })},
		Slim:      {func(b *builder) ([]array, error) { return one(deviceQuad * b.slims()) }, fillSlim},
		Biased:    {func(b *builder) ([]array, error) { return one(deviceWord * b.vertices()) }, fillBiased},

		PackedLabels: {packedLabelsArrays, fillPackedLabels},
	}
}

func one(bytes int64) ([]array, error) { return []array{{bytes: bytes}}, nil }

func (b *builder) vertices() int64 { return int64(b.graph.NumVertices()) }
func (b *builder) edges() int64    { return int64(b.graph.NumEdges()) }
func (b *builder) slims() int64    { return (b.edges() + slimEdges - 1) / slimEdges }
func (b *builder) records() int64  { return (b.vertices() + packedRows - 1) / packedRows }

func rowsArrays(b *builder) ([]array, error) {
	return []array{{bytes: deviceLong * (b.vertices() + 1)}, {bytes: deviceWord * (b.edges() + 1)}}, nil
}

func fillRows(b *builder, at []uintptr) error {
	return b.upload(
		transfer{at[0], address(b.graph.Indptr), deviceLong * (b.vertices() + 1)},
		transfer{at[1], address(b.graph.Indices), deviceWord * (b.edges() + 1)}, // with the None behind the last edge
	)
}

func fillPacked(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.work("packed", uint64(b.records()), 1)
}

func fillSlim(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.work("slim", uint64(b.slims()), 1)
}

func fillBiased(b *builder, at []uintptr) error {
	b.args.Words = uint64(at[0])
	return b.work("biased", uint64(b.vertices()), warp)
}

func fillWide(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.work("wide", uint64(b.edges()), 1)
}

func fillBiases(b *builder, at []uintptr) error {
	return b.upload(transfer{at[0], address(b.graph.Biases), deviceWord * b.edges()})
}

func fillAlias(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	if err := b.work("alias_pairs", uint64(b.vertices()), 1); err != nil {
		return err
	}
	return b.work("alias_slots", uint64(b.vertices()), warp)
}

func fillWideAlias(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.work("wide_alias", uint64(b.edges()), 1)
}

func fillLabels(b *builder, at []uintptr) error {
	return b.upload(transfer{at[0], address(b.graph.Labels), deviceWord * b.edges()})
}

func idsArrays(b *builder) ([]array, error) {
	switch {
	case b.graph.EdgeIDs != nil:
		b.part.facts.IDSize = 4
	case b.graph.EdgeIDs64 != nil:
		b.part.facts.IDSize = 8
	default:
		return nil, nil
	}
	return one(int64(b.part.facts.IDSize) * b.edges())
}

func fillIDs(b *builder, at []uintptr) error {
	switch b.part.facts.IDSize {
	case 4:
		return b.upload(transfer{at[0], address(b.graph.EdgeIDs), deviceWord * b.edges()})
	case 8:
		return b.upload(transfer{at[0], address(b.graph.EdgeIDs64), deviceLong * b.edges()})
	}
	return nil
}

func fillMirrored(b *builder, _ []uintptr) error {
	flag, err := b.scratch(deviceQuad)
	if err != nil {
		return err
	}
	if err := b.device.Fill32(flag, 0, 1, b.stream); err != nil {
		return err
	}
	b.args.Words = uint64(flag)
	if err := b.work("unmirrored", uint64(b.vertices()), warp); err != nil {
		return err
	}
	found := uint32(0)
	if err := b.device.CopyOut(unsafe.Pointer(&found), flag, deviceWord, b.stream); err != nil {
		return err
	}
	if err := b.stream.Synchronize(); err != nil {
		return err
	}
	b.part.facts.Mirrored = uint64(1 - min(found, 1))
	return nil
}

// bloomArrays has bloomBits or more for each pair, and a power of two of them.
func bloomArrays(b *builder) ([]array, error) {
	pairs := uint64(b.edges())
	if b.args.G.Mirrored == 1 {
		pairs = pairs/2 + 1
	}
	size := max(leastBits, uint64(1)<<bits.Len64(max(pairs*bloomBits, 1)-1))
	b.part.facts.BloomMask = size/32 - 1
	return []array{{bytes: int64(size / 8), zeros: true}}, nil
}

func fillBloom(b *builder, at []uintptr) error {
	b.args.Words, b.args.G.BloomMask = uint64(at[0]), b.part.facts.BloomMask
	return b.work("bloom", uint64(b.vertices()), warp)
}

// weigh fills what a kernel makes of biases and scales.
func weigh(into func(*kernels.Build) *uint64) func(*builder, []uintptr) error {
	return func(b *builder, at []uintptr) error {
		*into(&b.args) = uint64(at[0])
		return b.weigh()
	}
}

func (b *builder) weigh() error {
	scales, err := b.scratch(2 * b.vertices())
	if err != nil {
		return err
	}
	if err := b.upload(transfer{scales, address(b.graph.Scales), 2 * b.vertices()}); err != nil {
		return err
	}
	b.args.Scales = uint64(scales)
	return b.work("weights", uint64(b.vertices()), 1)
}
