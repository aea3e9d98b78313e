package pybind

import "gonextdoor/pybind/record"

// CountVisits writes how often each vertex occurs in the samples to request.Visits, an int64 per vertex of the graph. It writes
// the last vertex of each sample, an int32 or -1, to request.Ends. Either address may be 0.
func CountVisits(sampler int64, request uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	r := *at[record.Request](request)
	s, b, err := planned(sampler, &r, jobAt(job))
	if err != nil {
		return 0, err
	}
	visits, ends := view[int64](uintptr(r.Visits), r.Slots), view[uint32](uintptr(r.Ends), r.Rows)
	return r.Rows, s.CountVisits(b, visits, ends, jobAt(job))
}
