package pybind

import (
	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// request finds what a call to Sample or SampleRagged names.
func request(
	on, app int64, roots uintptr, count, width, kind, repeat, seed, first, threads, devices int64, edges bool, job uintptr,
) (s *gonextdoor.Sampler, b plan.Batch, err error) {
	g, err := graphs.get(on)
	if err != nil {
		return nil, b, err
	}
	a, err := apps.get(app)
	if err != nil {
		return nil, b, err
	}
	r, err := rootsAt(g, roots, count, width, kind, repeat, int(threads))
	if err != nil {
		return nil, b, err
	}
	where := gonextdoor.Devices(devices)
	err = g.Blame(parallel.Do(1, func(int) error { // a mapped graph may fault
		err := gonextdoor.PrepareFor(where, g, a, graph.Options{Threads: int(threads), Job: watched(job)})
		if err == nil {
			s, err = gonextdoor.NewFor(where, g, a, r.Width)
		}
		return err
	}))
	if err != nil {
		return nil, b, err
	}
	return s, plan.Batch{Roots: r, Seed: uint64(seed), First: uint64(first), Threads: int(threads), Edges: edges}, nil
}

// Sample fills vertices, rows x slots integers of size bytes (4 or 8), and edges, unless that is 0: rows x (slots-width)
// edge ids. roots are count x width integers of a kind; see vertices. seed is a uint64 in an int64's bits. devices has a
// bit for each GPU that shares the work; 0 is the CPU.
func Sample(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, seed int64,
	first int64, threads int64, devices int64, vertices uintptr, rows int64, slots int64, size int64, edges uintptr, job uintptr,
) (n int64, err error) {
	defer guard(&err)
	s, b, err := request(graph, app, roots, count, width, kind, repeat, seed, first, threads, devices, edges != 0, job)
	if err != nil {
		return 0, err
	}
	recorded := view[int64](edges, rows*(slots-int64(b.Roots.Width)))
	if size == 8 {
		return rows, s.Int64(b, view[int64](vertices, rows*slots), recorded, watched(job))
	}
	out := output.Matrix{
		Vertices: view[uint32](vertices, rows*slots), Edges: recorded, Width: int(slots), Roots: b.Roots.Width,
	}
	return rows, s.Matrix(b, out, watched(job))
}

// SampleRagged lends a result whose samples differ in length. It writes to lent: the addresses of offsets, vertices and
// edges (or 0), and the number of vertices.
func SampleRagged(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, seed int64,
	first int64, threads int64, devices int64, edges bool, lent uintptr, job uintptr,
) (rows int64, err error) {
	defer guard(&err)
	s, b, err := request(graph, app, roots, count, width, kind, repeat, seed, first, threads, devices, edges, job)
	if err != nil {
		return 0, err
	}
	r, err := s.Ragged(b, watched(job))
	if err != nil {
		return 0, err
	}
	copy(view[int64](lent, 4), []int64{address(r.Offsets), address(r.Vertices), address(r.Edges), int64(len(r.Vertices))})
	return int64(b.Roots.Samples()), nil
}

// SampleLayers lends a result whose samples are layered. It writes to lent: the addresses of offsets, vertices, edges (or
// 0), parents, ends' offsets, ends, links' offsets (or 0, and so all behind), sources, targets, links' edges and values;
// and the numbers of vertices, ends and links.
func SampleLayers(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, seed int64,
	first int64, threads int64, devices int64, edges bool, lent uintptr, job uintptr,
) (rows int64, err error) {
	defer guard(&err)
	s, b, err := request(graph, app, roots, count, width, kind, repeat, seed, first, threads, devices, edges, job)
	if err != nil {
		return 0, err
	}
	l, err := s.Layers(b, watched(job))
	if err != nil {
		return 0, err
	}
	copy(view[int64](lent, 14), []int64{
		address(l.Offsets), address(l.Vertices), address(l.Edges), address(l.Parents), address(l.EndsFrom), address(l.Ends),
		address(l.LinksFrom), address(l.Sources), address(l.Targets), address(l.LinkEdges), address(l.Values),
		int64(len(l.Vertices)), int64(len(l.Ends)), int64(len(l.Sources)),
	})
	return int64(b.Roots.Samples()), nil
}
