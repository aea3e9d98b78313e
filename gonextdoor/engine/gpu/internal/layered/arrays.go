package layered

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/kernels"
)

// place computes the offsets of the samples, allocates the arrays of the result and copies the staged samples there.
func (l *layeredRun) place() (err error) {
	result, rows, records := l.Result, int64(l.Rows), l.Plan.Records
	layers := &launch.LayerArrays{}
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
	if err := l.Stream.Synchronize(); err != nil {
		return err
	}
	if rows > 0 {
		result.Total, layers.EndCount, layers.LinkCount = int(l.counters[0]), int(l.counters[1]), int(l.counters[2])
	}
	// 2. Allocate. Empty arrays have an address too.
	vertices, ends, links := int64(result.Total), int64(layers.EndCount), int64(layers.LinkCount)
	err = l.allocate(sized{&result.Vertices, 4 * vertices}, sized{&layers.Parents, 4 * vertices}, sized{&layers.Ends, 4 * ends})
	if err == nil && l.Batch.Edges {
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
	if err := l.copyParts(); err != nil || l.Plan.Layered {
		return err
	}
	result.Layers = nil
	for _, m := range layers.Memory() {
		err = launch.First(err, l.Device.Free(*m, l.Stream))
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
		if *one.memory, err = resident.Alloc(l.Device, max(8, one.bytes), l.Stream); err != nil {
			return err
		}
	}
	return nil
}

// sum writes the offsets of parts with some sizes, and copies their sum to counter `total`.
func (l *layeredRun) sum(offsets *cuda.Memory, sizes uint64, total int) error {
	if err := l.allocate(sized{offsets, 8 * int64(l.Rows+1)}); err != nil {
		return err
	}
	if l.Rows == 0 {
		return l.Device.Fill32(offsets.Address, 0, 2, l.Stream)
	}
	c := launch.Compaction{Args: kernels.StepChunks{Lengths: sizes, Offsets: uint64(offsets.Address)}}
	if err := c.TakeSums(l.Run); err != nil {
		return err
	}
	if err := c.AddLengths(l.Run); err != nil {
		return err
	}
	a, k := c.Args, launch.Kernel{Name: "layered_offsets"}
	if err := l.Launcher.Threads(k, int64(l.Rows), &a); err != nil {
		return err
	}
	return c.CopyCounters(l.Run, &l.counters[total], 1)
}

// copyParts copies the staged samples to the arrays of the result.
func (l *layeredRun) copyParts() error {
	result, layers := l.Result, l.Result.Layers
	a := kernels.LayerParts{
		G: l.args.G, Rows: uint64(l.Rows), Staged: l.args.Staged,
		VertexCounts: l.args.VertexCounts, EndCounts: l.args.EndCounts, LinkCounts: l.args.LinkCounts,
		Offsets: uint64(result.Offsets.Address), EndsFrom: uint64(layers.EndsFrom.Address), LinksFrom: uint64(layers.LinksFrom.Address),
		Vertices: uint64(result.Total), Ends: uint64(layers.EndCount), Links: uint64(layers.LinkCount),
		ToVertices: uint64(result.Vertices.Address), ToEdges: uint64(result.Edges.Address),
		ToParents: uint64(layers.Parents.Address), ToEnds: uint64(layers.Ends.Address),
		ToSources: uint64(layers.Sources.Address), ToTargets: uint64(layers.Targets.Address),
		ToLinkEdges: uint64(layers.LinkEdges.Address), ToValues: uint64(layers.Values.Address),
		Values: l.args.Values,
	}
	if l.Gathering { // the kernels have written ids in place of positions
		a.G = kernels.Graph{}
	}
	for _, part := range []struct {
		name  string
		count int
	}{{"vertices", result.Total}, {"ends", layers.EndCount}, {"links", layers.LinkCount}} {
		warps := int64(part.count+kernels.LayerTile-1) / kernels.LayerTile
		k := launch.Kernel{Name: "layered_" + part.name}
		if err := l.Launcher.Threads(k, warps*32, &a); err != nil {
			return err
		}
	}
	return nil
}
