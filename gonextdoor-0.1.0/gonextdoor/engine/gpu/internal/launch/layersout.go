package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
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

// Memory returns all arrays. Those of nil are none.
func (a *LayerArrays) Memory() []*cuda.Memory {
	if a == nil {
		return nil
	}
	return []*cuda.Memory{
		&a.Parents, &a.EndsFrom, &a.Ends, &a.LinksFrom, &a.Sources, &a.Targets, &a.LinkEdges, &a.Values,
	}
}

// Recorded reports whether there are links.
func (a *LayerArrays) Recorded() bool { return a.LinksFrom.Address != 0 }

// CopyLayers makes layered samples and copies them to the host: all at once, or in ranges of rows if the GPU's memory is too
// small. records is set if the app records links.
func CopyLayers(rows func(lo, hi int) (*Result, error), records bool, b plan.Batch, j *job.Job) (output.Layers, error) {
	return inRanges(b.Roots.Samples(), rows, func(r *Result) (output.Layers, error) {
		return r.layersToHost(records, b, j)
	}, func(parts []output.Layers) (output.Layers, error) {
		return output.JoinLayers(parts, b.Edges, records)
	})
}

// layersToHost copies layered samples to the host and frees the result.
func (r *Result) layersToHost(records bool, b plan.Batch, j *job.Job) (output.Layers, error) {
	out, err := output.LendLayers(output.Sizes{
		Rows: r.Rows, Vertices: r.Total, Ends: r.Layers.EndCount, Links: r.Layers.LinkCount, Edges: b.Edges, Record: records,
	})
	if err == nil {
		err = First(r.raggedOut(out.Ragged, b.Threads, j), r.layersOut(out, b.Threads, j))
	}
	if err = First(err, r.Free()); err != nil {
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
		return First(
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
