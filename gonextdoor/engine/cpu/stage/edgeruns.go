package stage

import "unsafe"

// EdgeRun is a run of successive edges of a vertex among those of a subgraph. WriteRuns describes its fields.
type EdgeRun struct {
	First uint64 // position of the first edge
	Shift int64  // what is added to an end point to get its place
	Place uint32 // of the vertex
	Edges uint32 // at least 1
}

// WriteRuns writes the edges of runs one after the other. The last three arrays have as many elements as there are edges. It is
//
//	for _, run := range runs {
//		for p := run.First; p < run.First+run.Edges; p++ {
//			places[at], ends[at], positions[at] = run.Place, indices[p]+run.Shift, p
//			at++
//		}
//	}
func WriteRuns(runs []EdgeRun, indices []uint32, places, ends, positions []int64) {
	first, at := len(runs), len(positions)
	if hasAVX512 {
		// Up to seven elements after a run are overwritten, so the last eight edges are written by the loop below.
		for first > 0 && len(positions)-at < 8 {
			first--
			at -= int(runs[first].Edges)
		}
		if first > 0 {
			_, _ = places[len(positions)-1], ends[len(positions)-1]
			writeRunsAVX512(
				runs[:first], unsafe.SliceData(indices), len(indices), unsafe.SliceData(places), unsafe.SliceData(ends),
				unsafe.SliceData(positions),
			)
		}
	} else {
		first, at = 0, 0
	}
	for _, run := range runs[first:] {
		n := int(run.Edges)
		writeRun(indices[run.First:][:n], run, places[at:], ends[at:], positions[at:])
		at += n
	}
}

// writeRun is WriteRuns for a run whose end points are given.
func writeRun(points []uint32, run EdgeRun, places, ends, positions []int64) {
	places, ends, positions = places[:len(points)], ends[:len(points)], positions[:len(points)]
	for k, u := range points {
		places[k], ends[k], positions[k] = int64(run.Place), int64(u)+run.Shift, int64(run.First)+int64(k)
	}
}
