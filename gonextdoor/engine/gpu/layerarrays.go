package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// LayerArrays are the parts of layered samples besides their vertices, as in output.Layers.
type LayerArrays struct {
	Parents  cuda.Memory // 4 bytes per vertex
	EndsFrom cuda.Memory // 8 bytes per row, and the end
	Ends     cuda.Memory // 4 bytes each
	EndCount int

	// If the app records no links, there are none of these.
	LinksFrom        cuda.Memory // 8 bytes per row, and the end
	Sources, Targets cuda.Memory // 4 bytes per link
	LinkEdges        cuda.Memory // 8 bytes per link
	Values           cuda.Memory // 8 bytes per link, float64
	LinkCount        int
}

// memory returns all arrays. Those of nil are none.
func (a *LayerArrays) memory() []*cuda.Memory {
	if a == nil {
		return nil
	}
	return []*cuda.Memory{
		&a.Parents, &a.EndsFrom, &a.Ends, &a.LinksFrom, &a.Sources, &a.Targets, &a.LinkEdges, &a.Values,
	}
}

// Recorded reports whether there are links.
func (a *LayerArrays) Recorded() bool { return a.LinksFrom.Address != 0 }

// place computes the offsets of the samples, allocates the arrays of the result and copies the staged samples there.
func (l *layeredRun) place() (err error) {
	result, rows, records := l.result, int64(l.rows), l.plan.Records
	layers := &LayerArrays{}
	result.Layers = layers
	// 1. Sum up the sizes of the samples.
	if err := l.sum(&result.Offsets, l.args.VertexCounts, 0); err != nil {
		return err
	}
	if err := l.sum(&layers.EndsFrom, l.args.EndCounts, 1); err != nil {
		return err
	}
	if records {
		if err := l.sum(&layers.LinksFrom, l.args.LinkCounts, 2); err != nil {
			return err
		}
	}
	if err := l.stream.Synchronize(); err != nil {
		return err
	}
	if rows > 0 {
		result.Total, layers.EndCount, layers.LinkCount = int(l.counters[0]), int(l.counters[1]), int(l.counters[2])
	}
	// 2. Allocate. Empty arrays have an address too.
	vertices, ends, links := int64(result.Total), int64(layers.EndCount), int64(layers.LinkCount)
	err = l.allocate(sized{&result.Vertices, 4 * vertices}, sized{&layers.Parents, 4 * vertices}, sized{&layers.Ends, 4 * ends})
	if err == nil && l.batch.Edges {
		err = l.allocate(sized{&result.Edges, 8 * vertices})
	}
	if err == nil && records {
		err = l.allocate(sized{&layers.Sources, 4 * links}, sized{&layers.Targets, 4 * links},
			sized{&layers.LinkEdges, 8 * links}, sized{&layers.Values, 8 * links})
	}
	if err != nil {
		return err
	}
	// 3. Copy. Samples that are not layered have vertices and edges only.
	if err := l.copyParts(); err != nil || l.plan.Layered {
		return err
	}
	result.Layers = nil
	for _, m := range layers.memory() {
		err = first(err, l.device.Free(*m, l.stream))
	}
	return err
}

// sized is memory of a result, and its size in bytes.
type sized struct {
	memory *cuda.Memory
	bytes  int64
}

// allocate allocates memory of the result.
func (l *layeredRun) allocate(all ...sized) (err error) {
	for _, one := range all {
		if *one.memory, err = resident.Alloc(l.device, max(8, one.bytes), l.stream); err != nil {
			return err
		}
	}
	return nil
}

// sum writes the offsets of parts with some sizes, and copies their sum to counter `total`.
func (l *layeredRun) sum(offsets *cuda.Memory, sizes uint64, total int) error {
	if err := l.allocate(sized{offsets, 8 * int64(l.rows+1)}); err != nil {
		return err
	}
	if l.rows == 0 {
		return l.device.Fill32(offsets.Address, 0, 2, l.stream)
	}
	c := compaction{args: kernels.StepChunks{Lengths: sizes, Offsets: uint64(offsets.Address)}}
	if err := c.takeSums(l.run); err != nil {
		return err
	}
	if err := c.addLengths(l.run); err != nil {
		return err
	}
	a, k := c.args, kernel{image: "layered", name: "layered_offsets", block: compactRows}
	if err := l.launcher.threads(k, int64(l.rows), unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
		return err
	}
	return c.copyCounters(l.run, &l.counters[total], 1)
}

// layerTile is LayerTile of kernels/driver/layerparts.cuh.
const layerTile = 512

// copyParts copies the staged samples to the arrays of the result.
func (l *layeredRun) copyParts() error {
	result, layers := l.result, l.result.Layers
	a := kernels.LayerParts{
		G: l.args.G, Rows: uint64(l.rows), Staged: l.args.Staged,
		VertexCounts: l.args.VertexCounts, EndCounts: l.args.EndCounts, LinkCounts: l.args.LinkCounts,
		Offsets: uint64(result.Offsets.Address), EndsFrom: uint64(layers.EndsFrom.Address), LinksFrom: uint64(layers.LinksFrom.Address),
		Vertices: uint64(result.Total), Ends: uint64(layers.EndCount), Links: uint64(layers.LinkCount),
		ToVertices: uint64(result.Vertices.Address), ToEdges: uint64(result.Edges.Address),
		ToParents: uint64(layers.Parents.Address), ToEnds: uint64(layers.Ends.Address),
		ToSources: uint64(layers.Sources.Address), ToTargets: uint64(layers.Targets.Address),
		ToLinkEdges: uint64(layers.LinkEdges.Address), ToValues: uint64(layers.Values.Address),
		Values: l.args.Values,
	}
	if l.gathering { // the kernels have written ids in place of positions
		a.G = kernels.Graph{}
	}
	for _, part := range []struct {
		name  string
		count int
	}{{"vertices", result.Total}, {"ends", layers.EndCount}, {"links", layers.LinkCount}} {
		warps := int64(part.count+layerTile-1) / layerTile
		k := kernel{image: "layered", name: "layered_" + part.name}
		if err := l.launcher.threads(k, warps*32, unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
			return err
		}
	}
	return nil
}

// Layers makes layered samples and copies them to the host: all at once, or in ranges of rows if the GPU's memory is too
// small.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return inRanges(b.Roots.Samples(), func(lo, hi int) (*Result, error) {
		return e.Rows(p, g, b, lo, hi, j)
	}, func(r *Result) (output.Layers, error) {
		return r.layersToHost(p, b, j)
	}, func(parts []output.Layers) (output.Layers, error) {
		return output.JoinLayers(parts, b.Edges, p.Records)
	})
}

// layersToHost copies layered samples to the host and frees the result.
func (r *Result) layersToHost(p plan.Plan, b plan.Batch, j *job.Job) (output.Layers, error) {
	out, err := output.LendLayers(output.Sizes{
		Rows: r.Rows, Vertices: r.Total, Ends: r.Layers.EndCount, Links: r.Layers.LinkCount, Edges: b.Edges, Record: p.Records,
	})
	if err == nil {
		err = first(r.raggedOut(out.Ragged, b.Threads, j), r.layersOut(out, b.Threads, j))
	}
	if err = first(err, r.Free()); err != nil {
		out.Return()
		return output.Layers{}, err
	}
	return out, nil
}

// layersOut copies the parts of layered samples besides their vertices and edges to the host.
func (r *Result) layersOut(out output.Layers, threads int, j *job.Job) error {
	return r.Device.Do(func() error {
		link, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		a := r.Layers
		return first(
			copyArray(link, r, a.Parents, out.Parents, threads, j), copyArray(link, r, a.EndsFrom, out.EndsFrom, threads, j),
			copyArray(link, r, a.Ends, out.Ends, threads, j), copyArray(link, r, a.LinksFrom, out.LinksFrom, threads, j),
			copyArray(link, r, a.Sources, out.Sources, threads, j), copyArray(link, r, a.Targets, out.Targets, threads, j),
			copyArray(link, r, a.LinkEdges, out.LinkEdges, threads, j), copyArray(link, r, a.Values, out.Values, threads, j),
		)
	})
}

// copyArray copies an array of a result to the host.
func copyArray[T any](link *transfer.Link, r *Result, from cuda.Memory, to []T, threads int, j *job.Job) error {
	var one T
	size := int(unsafe.Sizeof(one))
	c := transfer.Columns{Address: from.Address, Rows: len(to), Width: 1, Stride: len(to), Size: size}
	return link.Rows(c, unsafe.Pointer(unsafe.SliceData(to)), size, r.Ready, threads, j)
}
