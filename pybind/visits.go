package pybind

// CountVisits adds how often each vertex stands in samples to counts, an int64 for each of the vertices, and writes the last
// vertex of each of the rows, an int32 or -1, to ends. Either address may be 0.
func CountVisits(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, seed int64,
	first int64, threads int64, devices int64, counts uintptr, vertices int64, ends uintptr, rows int64, job uintptr,
) (n int64, err error) {
	defer guard(&err)
	s, b, err := request(graph, app, roots, count, width, kind, repeat, seed, first, threads, devices, false, job)
	if err != nil {
		return 0, err
	}
	var visits []int64
	if counts != 0 {
		visits = view[int64](counts, vertices)
	}
	var last []uint32
	if ends != 0 {
		last = view[uint32](ends, rows)
	}
	return rows, s.CountVisits(b, visits, last, watched(job))
}
