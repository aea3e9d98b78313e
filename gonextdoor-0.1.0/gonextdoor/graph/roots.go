package graph

import (
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// DrawRoots draws width roots for each of n samples with the ids first, first+repeat, first+2*repeat, ... It is
//
//	roots[j*width + i] = Below(NewStream(seed, rng.Roots).Key(first + j*repeat).Word(i), NumVertices)
//
// so the roots of a sample do not depend on how a run is split.
func DrawRoots(g *Graph, seed, first uint64, repeat, n, width int) ([]uint32, error) {
	if n < 0 || width < 0 {
		return nil, refuse.Value("roots = (%d, %d): expected sizes of at least 0", n, width)
	}
	roots := make([]uint32, n*width)
	return roots, FillRoots(g, roots, seed, first, repeat, width, nil)
}

// FillRoots is DrawRoots into an array of n*width elements. It runs on all cores, and the job can cancel it.
func FillRoots(g *Graph, roots []uint32, seed, first uint64, repeat, width int, j *job.Job) error {
	return FillRootsBelow(uint64(g.NumVertices()), roots, seed, first, repeat, width, j)
}

// FillRootsBelow is FillRoots for a graph of a number of vertices.
func FillRootsBelow(vertices uint64, roots []uint32, seed, first uint64, repeat, width int, j *job.Job) error {
	if repeat < 1 {
		return refuse.Value("repeat = %d: expected at least 1", repeat)
	}
	if len(roots) > 0 && vertices == 0 {
		return refuse.Value("roots = %d: the graph has no vertices to draw from", len(roots)/width)
	}
	stream := rng.NewStream(seed, rng.Roots)
	return parallel.For(j, 0, len(roots), EdgeChunk, func(lo, hi int) error {
		sample, place := lo/width, lo%width
		for at := lo; at < hi; sample, place = sample+1, 0 {
			key := stream.Key(first + uint64(sample)*uint64(repeat))
			for ; place < width && at < hi; place, at = place+1, at+1 {
				v, _ := rng.Below(key.Word(uint64(place)), vertices)
				roots[at] = uint32(v)
			}
		}
		return nil
	})
}
