package graph

import (
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// DrawRoots draws roots of width vertices for n samples with the ids first, first+repeat, first+2*repeat, ... It is
//
//	roots[j*width + i] = Below(NewStream(seed, rng.Roots).Key(first + j*repeat).Word(i), NumVertices)
//
// so that samples have the same roots however a run is split.
func (g *Graph) DrawRoots(seed, first uint64, repeat, n, width int) ([]uint32, error) {
	if n < 0 || repeat < 1 {
		return nil, refuse.Value("roots = %d with repeat = %d: expected at least 0 and 1", n, repeat)
	}
	if n > 0 && g.NumVertices() == 0 {
		return nil, refuse.Value("roots = %d: the graph has no vertices to draw from", n)
	}
	roots, vertices := make([]uint32, n*width), uint64(g.NumVertices())
	stream := rng.NewStream(seed, rng.Roots)
	return roots, parallel.For(nil, 0, n, edgeChunk, func(lo, hi int) error {
		for j := lo; j < hi; j++ {
			key := stream.Key(first + uint64(j)*uint64(repeat))
			for i := range width {
				v, _ := rng.Below(key.Word(uint64(i)), vertices)
				roots[j*width+i] = uint32(v)
			}
		}
		return nil
	})
}
