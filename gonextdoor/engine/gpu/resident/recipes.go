package resident

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/kernels"
)

const warp = 32 // threads

// recipes say how each layout is built. The sizes of the records are those of kernels/core/args.cuh.
var recipes map[Layout]recipe

func init() {
	recipes = map[Layout]recipe{
		Rows:      {rowsArrays, fillRows},
		Packed:    {func(b *builder) ([]array, error) { return perVertex(deviceQuad * b.packedRecords()) }, fillPacked},
		Wide:      {func(b *builder) ([]array, error) { return perEdge(deviceQuad * b.edges()) }, fillWide},
		Biases:    {func(b *builder) ([]array, error) { return []array{b.biases()}, nil }, fillBiases},
		Alias:     {func(b *builder) ([]array, error) { return perEdge(deviceQuad * b.edges()) }, fillAlias},
		WideAlias: {func(b *builder) ([]array, error) { return perEdge(2 * deviceQuad * b.edges()) }, fillWideAlias},
		Labels:    {func(b *builder) ([]array, error) { return perEdge(deviceWord * b.edges()) }, fillLabels},
		IDs:       {idsArrays, fillIDs},
		ByLabel:   {byLabelArrays, fillByLabel},
		Mirrored:  {func(*builder) ([]array, error) { return nil, nil }, fillMirrored},
		Bloom:     {bloomArrays, fillBloom},
		Weights:   {func(b *builder) ([]array, error) { return perEdge(deviceLong * b.edges()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Weights })},
		Largest:   {func(b *builder) ([]array, error) { return perVertex(deviceLong * b.vertices()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Largest })},
		Prefix:    {func(b *builder) ([]array, error) { return perEdge(deviceLong * b.edges()) }, weigh(func(a *kernels.Build) *uint64 { return &a.Prefix })},
		Slim:      {func(b *builder) ([]array, error) { return perEdge(deviceQuad * b.slimRecords()) }, fillSlim},
		Biased:    {func(b *builder) ([]array, error) { return perVertex(deviceWord * b.vertices()) }, fillBiased},
		Times:     {func(b *builder) ([]array, error) { return perEdge(deviceLong * b.edges()) }, fillTimes},
		BiasSums:  {biasSumsArrays, fillBiasSums},

		Segments:     {func(b *builder) ([]array, error) { return b.segments(b.vertices()), nil }, fillSegments},
		LabelWeights: {labelWeightsArrays, fillLabelWeights},

		Reach: {func(b *builder) ([]array, error) { return perVertex(deviceQuad * b.vertices()) }, fillReach},

		ParallelEdges: {parallelEdgesArrays, fillParallelEdges},
		Temporal: {func(b *builder) ([]array, error) {
			return []array{{bytes: deviceQuad * b.edges(), along: byEdge}, {bytes: deviceWord * b.edges(), along: byEdge}}, nil
		}, fillTemporal},
		Decay:        {func(b *builder) ([]array, error) { return perEdge(deviceLong * b.edges()) }, fillDecay},
		PackedLabels: {packedLabelsArrays, fillPackedLabels},
	}
}

// perEdge returns one array with elements in the order of the edges.
func perEdge(bytes int64) ([]array, error) { return []array{{bytes: bytes, along: byEdge}}, nil }

// perVertex returns one array with elements in the order of the vertices.
func perVertex(bytes int64) ([]array, error) { return []array{{bytes: bytes, along: byVertex}}, nil }

func (b *builder) vertices() int64    { return int64(b.graph.NumVertices()) }
func (b *builder) edges() int64       { return int64(b.graph.NumEdges()) }
func (b *builder) slimRecords() int64 { return (b.edges() + kernels.SlimEdges - 1) / kernels.SlimEdges }
func (b *builder) sectors() int64     { return (b.edges() + kernels.SectorEdges - 1) / kernels.SectorEdges }
func (b *builder) packedRecords() int64 {
	return (b.vertices() + kernels.PackedVertices - 1) / kernels.PackedVertices
}

func rowsArrays(b *builder) ([]array, error) {
	return []array{
		{bytes: deviceLong * (b.vertices() + 1), along: byVertex}, {bytes: deviceWord * (b.edges() + 1), along: byEdge},
	}, nil
}

func fillRows(b *builder, at []uintptr) error {
	return b.upload(
		hostArray{at[0], address(b.graph.Indptr), deviceLong * (b.vertices() + 1)},
		hostArray{at[1], address(b.graph.Indices), deviceWord * (b.edges() + 1)}, // with the graph.None after the last edge
	)
}

func fillPacked(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.launch("packed", uint64(b.packedRecords()), 1)
}

func fillSlim(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.launch("slim", uint64(b.slimRecords()), 1)
}

func fillBiased(b *builder, at []uintptr) error {
	b.args.Words = uint64(at[0])
	return b.launch("biased", uint64(b.vertices()), warp)
}

// biases returns the array of biases, of which kernels read whole sectors.
func (b *builder) biases() array {
	return array{bytes: deviceWord * b.sectors() * kernels.SectorEdges, along: byEdge}
}

// segments returns the arrays of sums of biases with some totals.
func (b *builder) segments(totals int64) []array {
	return []array{
		{bytes: deviceLong * totals, along: byVertex},
		{bytes: deviceLong * ((b.edges() + kernels.SegmentEdges - 1) / kernels.SegmentEdges), along: byEdge},
	}
}

func fillSegments(b *builder, at []uintptr) error {
	b.args.Offsets, b.args.Segments = uint64(at[0]), uint64(at[1])
	return b.launch("segments", uint64(b.vertices()), warp)
}

func fillReach(b *builder, at []uintptr) error { return b.reach(true, at) }

// parallelEdgesArrays has no array if there are no parallel edges.
func parallelEdgesArrays(b *builder) ([]array, error) {
	table, err := index.ReachOf(b.graph, false, b.options)
	if table == nil || err != nil {
		return nil, err
	}
	return perVertex(deviceQuad * b.vertices())
}

func fillParallelEdges(b *builder, at []uintptr) error {
	if len(at) == 0 {
		return nil
	}
	return b.reach(false, at)
}

// reach copies the table of index.ReachOf to the GPU.
func (b *builder) reach(weighted bool, at []uintptr) error {
	table, err := index.ReachOf(b.graph, weighted, b.options)
	if err != nil {
		return err
	}
	return b.upload(hostArray{at[0], address(table), deviceQuad * b.vertices()})
}

func fillWide(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.launch("wide", uint64(b.edges()), 1)
}

func fillBiases(b *builder, at []uintptr) error {
	return b.upload(hostArray{at[0], address(b.graph.Biases), deviceWord * b.edges()})
}

// fillAlias builds the alias tables: first the pairs of each row with one thread, then the slots with one warp. The host builds
// those of long rows meanwhile.
func fillAlias(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	if err := b.launch("alias_pairs", uint64(b.vertices()), 1); err != nil {
		return err
	}
	if err := b.uploadLongAlias(at[0]); err != nil {
		return err
	}
	return b.launch("alias_slots", uint64(b.vertices()), warp)
}

func fillWideAlias(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.launch("wide_alias", uint64(b.edges()), 1)
}

func fillLabels(b *builder, at []uintptr) error {
	return b.upload(hostArray{at[0], address(b.graph.Labels), deviceWord * b.edges()})
}

func fillTimes(b *builder, at []uintptr) error {
	return b.upload(hostArray{at[0], address(b.graph.Times), deviceLong * b.edges()})
}

func biasSumsArrays(b *builder) ([]array, error) {
	return []array{
		{bytes: deviceLong * (b.edges() + 1), along: byEdge}, {bytes: deviceWord * (b.edges() + 1), along: byEdge},
	}, nil
}

// fillBiasSums adds up the biases on the host. Sums over all edges may wrap around; their differences within a row do not.
func fillBiasSums(b *builder, at []uintptr) error {
	m := int(b.edges())
	sums, err := offheap.Make[uint64](m + 1)
	if err != nil {
		return err
	}
	defer offheap.Free(sums)
	counts, err := offheap.Make[uint32](m + 1)
	if err != nil {
		return err
	}
	defer offheap.Free(counts)
	for first := 0; first < m; first += graph.EdgeChunk {
		if err := b.options.Job.Err(); err != nil {
			return err
		}
		for i, bias := range b.graph.Biases[first:min(m, first+graph.EdgeChunk)] {
			at := first + i
			sums[at+1], counts[at+1] = sums[at]+uint64(bias), counts[at]
			if bias > 0 {
				counts[at+1]++
			}
		}
	}
	return b.upload(
		hostArray{at[0], address(sums), deviceLong * (b.edges() + 1)},
		hostArray{at[1], address(counts), deviceWord * (b.edges() + 1)},
	)
}

// idsArrays has no array if the ids are the positions.
func idsArrays(b *builder) ([]array, error) {
	switch {
	case b.graph.EdgeIDs != nil:
		b.part.scalars.IDSize = 4
	case b.graph.EdgeIDs64 != nil:
		b.part.scalars.IDSize = 8
	default:
		return nil, nil
	}
	return perEdge(int64(b.part.scalars.IDSize) * b.edges())
}

func fillIDs(b *builder, at []uintptr) error {
	switch b.part.scalars.IDSize {
	case 4:
		return b.upload(hostArray{at[0], address(b.graph.EdgeIDs), deviceWord * b.edges()})
	case 8:
		return b.upload(hostArray{at[0], address(b.graph.EdgeIDs64), deviceLong * b.edges()})
	}
	return nil
}

// fillMirrored checks on the GPU whether every edge has a reverse edge. It waits for the answer, because the size of Bloom
// depends on it.
func fillMirrored(b *builder, _ []uintptr) error {
	flag, err := b.scratch(deviceQuad)
	if err != nil {
		return err
	}
	if err := b.device.Fill32(flag, 0, 1, b.stream); err != nil {
		return err
	}
	b.args.Words = uint64(flag)
	if err := b.launch("unmirrored", uint64(b.vertices()), warp); err != nil {
		return err
	}
	found := uint32(0)
	if err := b.device.CopyOut(unsafe.Pointer(&found), flag, deviceWord, b.stream); err != nil {
		return err
	}
	if err := b.stream.Synchronize(); err != nil {
		return err
	}
	b.part.scalars.Mirrored = uint64(1 - min(found, 1))
	return nil
}

// bloomArrays sizes the edge bitmap: at least bloomBits bits per pair of vertices, rounded up to a power of two. A pair that
// is connected in both directions counts once if the graph is mirrored.
func bloomArrays(b *builder) ([]array, error) {
	pairs := uint64(b.edges())
	if b.args.G.Mirrored == 1 {
		pairs = pairs/2 + 1
	}
	size := max(minBloomBits, uint64(1)<<bits.Len64(max(pairs*bloomBits, 1)-1))
	b.part.scalars.BloomMask = size/32 - 1
	return []array{{bytes: int64(size / 8), zeros: true, along: byHash}}, nil
}

func fillBloom(b *builder, at []uintptr) error {
	b.args.Words, b.args.G.BloomMask = uint64(at[0]), b.part.scalars.BloomMask
	return b.launch("bloom", uint64(b.vertices()), warp)
}

// weigh returns the fill function of an array that the kernel "weights" computes from biases and scales. into returns the
// argument that receives the address of the array.
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
	if err := b.upload(hostArray{scales, address(b.graph.Scales), 2 * b.vertices()}); err != nil {
		return err
	}
	b.args.Scales = uint64(scales)
	return b.launch("weights", uint64(b.vertices()), 1)
}
