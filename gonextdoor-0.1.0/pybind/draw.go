package pybind

import "gonextdoor/gonextdoor/graph"

// DrawRoots writes count x width random vertices to out, as uint32. They are the roots of the samples with the ids first,
// first+repeat and so on.
func DrawRoots(handle int64, seed int64, first int64, repeat int64, out uintptr, count int64, width int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	return count * width, graph.FillRoots(g, view[uint32](out, count*width), uint64(seed), uint64(first), int(repeat), int(width), jobAt(job))
}
