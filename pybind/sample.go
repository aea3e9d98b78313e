package pybind

import (
	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/pybind/record"
)

// NewSampler keeps an app on a graph for calls with width roots per sample. devices has a bit for each GPU that shares the
// work; 0 is the CPU. The first call plans it, which can take long.
func NewSampler(graph int64, app int64, width int64, devices int64) (handle int64, err error) {
	defer guard(&err)
	g, a, err := both(graph, app)
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
	a, err := app.Parse(name, params)
	if err != nil {
		return 0, err
	}
	return samplers.add(&gonextdoor.LazySampler{
		Graph: g, App: a, RootWidth: int(width), Devices: gonextdoor.Devices(devices),
	}), nil
}

// DropSampler ends a sampler. Calls in flight complete.
func DropSampler(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = samplers.drop(handle)
	return known, nil
}

// received returns the sampler of a call, planned, and the batch of its request.
func received(handle int64, r *record.Request, j *job.Job) (s *gonextdoor.Sampler, b plan.Batch, err error) {
	lazy, err := samplers.get(handle)
	if err != nil {
		return nil, b, err
	}
	roots, err := rootsAt(lazy.Graph, r, lazy.RootWidth)
	if err != nil {
		return nil, b, err
	}
	s, err = lazy.Planned(graph.Options{Threads: int(r.Threads), Job: j})
	if err != nil {
		return nil, b, err
	}
	b = plan.Batch{
		Roots: roots, Seed: r.Seed, First: r.First, Threads: int(r.Threads), Edges: r.Edges != 0,
	}
	return s, b, nil
}

// Sample writes samples of one width to request.Vertices, and the ids of their edges to request.EdgeIDs if request.Edges
// is 1. The request is a record.Request.
func Sample(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := received(sampler, &r, watched(job))
	if err != nil {
		return 0, err
	}
	var edges []int64
	if b.Edges {
		edges = view[int64](uintptr(r.EdgeIDs), r.Rows*(r.Slots-int64(b.Roots.Width)))
	}
	if r.Size == 8 {
		return r.Rows, s.Int64(b, view[int64](uintptr(r.Vertices), r.Rows*r.Slots), edges, watched(job))
	}
	return r.Rows, s.Matrix(b, output.Matrix{
		Vertices: view[uint32](uintptr(r.Vertices), r.Rows*r.Slots), Edges: edges, Width: int(r.Slots), Roots: b.Roots.Width,
	}, watched(job))
}

// SampleRagged lends a result whose samples differ in length and writes a record.Ragged to request.Result.
func SampleRagged(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := received(sampler, &r, watched(job))
	if err != nil {
		return 0, err
	}
	lent, err := s.Ragged(b, watched(job))
	if err != nil {
		return 0, err
	}
	*at[record.Ragged](uintptr(r.Result)) = record.Ragged{
		Offsets: address(lent.Offsets), Vertices: address(lent.Vertices), Edges: address(lent.Edges),
		Total: int64(len(lent.Vertices)),
	}
	return int64(b.Roots.Samples()), nil
}

// SampleLayers lends a result whose samples are layered and writes a record.Layers to request.Result.
func SampleLayers(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := received(sampler, &r, watched(job))
	if err != nil {
		return 0, err
	}
	lent, err := s.Layers(b, watched(job))
	if err != nil {
		return 0, err
	}
	*at[record.Layers](uintptr(r.Result)) = record.Layers{
		Offsets: address(lent.Offsets), Vertices: address(lent.Vertices), Edges: address(lent.Edges),
		Parents: address(lent.Parents), EndsFrom: address(lent.EndsFrom), Ends: address(lent.Ends),
		LinksFrom: address(lent.LinksFrom), Sources: address(lent.Sources), Targets: address(lent.Targets),
		LinkEdges: address(lent.LinkEdges), Values: address(lent.Values),
		Total: int64(len(lent.Vertices)), EndCount: int64(len(lent.Ends)), LinkCount: int64(len(lent.Sources)),
	}
	return int64(b.Roots.Samples()), nil
}
