package pybind

import (
	"sync/atomic"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/pybind/record"
)

// NewSampler returns a handle of a sampler of an app on a graph, with width roots per sample. devices has a bit for each GPU
// that shares the work; 0 is the CPU. The first call of the sampler plans it and builds tables, which can take seconds.
func NewSampler(graph int64, app int64, width int64, devices int64) (handle int64, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return 0, err
	}
	return samplers.add(&gonextdoor.LazySampler{
		Graph: g, App: a, RootWidth: int(width), Devices: gonextdoor.Devices(devices),
	}), nil
}

// NewAppSampler is NewSampler for an app that the sampler alone has, from its name and its parameters in JSON.
func NewAppSampler(graph int64, name string, params string, width int64, devices int64) (handle int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	a, err := apps.Parse(name, params)
	if err != nil {
		return 0, err
	}
	return samplers.add(&gonextdoor.LazySampler{
		Graph: g, App: a, RootWidth: int(width), Devices: gonextdoor.Devices(devices),
	}), nil
}

// DropSampler removes a sampler. Calls in progress complete.
func DropSampler(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = samplers.drop(handle)
	return known, nil
}

// orders are the values of Request.Order.
var orders = [...]plan.Order{"", plan.SampleOrder, plan.TransitOrder}

// planned returns the sampler of a handle, planned, and the batch of a request.
func planned(handle int64, r *record.Request, j *job.Job) (s *gonextdoor.Sampler, b plan.Batch, err error) {
	lazy, err := samplers.get(handle)
	if err != nil {
		return nil, b, err
	}
	roots, err := rootsAt(lazy.Graph, r, lazy.RootWidth)
	if err != nil {
		return nil, b, err
	}
	return plannedFrom(lazy, r, roots, j)
}

// plannedFrom is planned with the roots of the request.
func plannedFrom(lazy *gonextdoor.LazySampler, r *record.Request, roots plan.Roots, j *job.Job) (s *gonextdoor.Sampler, b plan.Batch, err error) {
	s, err = lazy.Planned(graph.Options{Threads: int(r.Threads), Job: j})
	if err != nil {
		return nil, b, err
	}
	return s, batchOf(r, roots), nil
}

// batchOf returns the batch of a request.
func batchOf(r *record.Request, roots plan.Roots) plan.Batch {
	return plan.Batch{
		Roots: roots, Seed: r.Seed, First: r.First, Threads: int(r.Threads), Edges: r.Edges != 0,
		Order: orders[r.Order], FromHost: new(atomic.Bool), IDs: view[uint64](uintptr(r.IDs), r.Rows),
	}
}

// Sample makes samples of one width. request is the address of a record.Request. The vertices are written to its Vertices
// and, if Edges is 1, the edge ids to its EdgeIDs.
func Sample(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := planned(sampler, &r, jobAt(job))
	if err != nil {
		return 0, err
	}
	var edges []int64
	if b.Edges {
		edges = view[int64](uintptr(r.EdgeIDs), r.Rows*(r.Slots-int64(b.Roots.Width)))
	}
	if r.Size == 8 {
		err = s.Int64(b, view[int64](uintptr(r.Vertices), r.Rows*r.Slots), edges, jobAt(job))
	} else {
		err = s.Matrix(b, output.Matrix{
			Vertices: view[uint32](uintptr(r.Vertices), r.Rows*r.Slots), Edges: edges, Width: int(r.Slots), Roots: b.Roots.Width,
		}, jobAt(job))
	}
	reportHost(request, b)
	return r.Rows, err
}

// reportHost tells the caller of a request that the CPU made samples of a call on GPUs.
func reportHost(request uintptr, b plan.Batch) {
	if b.FromHost.Load() {
		at[record.Request](request).FromHost = 1
	}
}

// SampleRagged makes samples that differ in length. It lends the result and writes a record.Ragged to request.Result.
func SampleRagged(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := planned(sampler, &r, jobAt(job))
	if err != nil {
		return 0, err
	}
	lent, err := s.Ragged(b, jobAt(job))
	if err != nil {
		return 0, err
	}
	reportHost(request, b)
	*at[record.Ragged](uintptr(r.Result)) = record.Ragged{
		Offsets: address(lent.Offsets), Vertices: address(lent.Vertices), Edges: address(lent.Edges),
		Total: int64(len(lent.Vertices)),
	}
	return int64(b.Roots.Samples()), nil
}

// SampleLayers makes layered samples. It lends the result and writes a record.Layers to request.Result.
func SampleLayers(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := planned(sampler, &r, jobAt(job))
	if err != nil {
		return 0, err
	}
	lent, err := s.Layers(b, jobAt(job))
	if err != nil {
		return 0, err
	}
	reportHost(request, b)
	*at[record.Layers](uintptr(r.Result)) = layersRecord(&lent)
	return int64(b.Roots.Samples()), nil
}

// layersRecord returns the record of a lent result.
func layersRecord(lent *output.Layers) record.Layers {
	return record.Layers{
		Offsets: address(lent.Offsets), Vertices: address(lent.Vertices), Edges: address(lent.Edges),
		Parents: address(lent.Parents), EndsFrom: address(lent.EndsFrom), Ends: address(lent.Ends),
		LinksFrom: address(lent.LinksFrom), Sources: address(lent.Sources), Targets: address(lent.Targets),
		LinkEdges: address(lent.LinkEdges), Values: address(lent.Values),
		Total: int64(len(lent.Vertices)), EndCount: int64(len(lent.Ends)), LinkCount: int64(len(lent.Sources)),
	}
}
