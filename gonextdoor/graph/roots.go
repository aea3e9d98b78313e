package graph

import (
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// DrawRoots draws n vertices as the roots of samples with the ids first, first+repeat, first+2*repeat, ... It is
//
//	roots[j] = Below(NewStream(seed, rng.Roots).Key(first + j*repeat).Word(0), NumVertices)
//
// so that samples have the same roots however a run is split.
func (g *Graph) DrawRoots(seed, first uint64, repeat, n int) ([]uint32, error) {
	if n < 0 || repeat < 1 {
		return nil, refuse.Value("roots = %d with repeat = %d: expected at least 0 and 1", n, repeat)
	}
	if n > 0 && g.NumVertices() == 0 {
		return nil, refuse.Value("roots = %d: the graph has no vertices to draw from", n)
	}
	roots, vertices := make([]uint32, n), uint64(g.NumVertices())
	stream := rng.NewStream(seed, rng.Roots)
	return roots, parallel.For(nil, 0, n, edgeChunk, func(lo, hi int) error {
		for j := lo; j < hi; j++ {
			v, _ := rng.Below(stream.Key(first+uint64(j)*uint64(repeat)).Word(0), vertices)
			roots[j] = uint32(v)
		}
		return nil
	})
}
