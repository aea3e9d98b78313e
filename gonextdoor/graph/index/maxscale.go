package index

import (
	"slices"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var maxScaleKey = graph.NewKey[int16](nil)

// TopScale gives the largest scale of a row that has a positive weight, 0 where none has: no weight of the graph reaches
// 2^(32+TopScale), so that biases of different rows can be compared. It is found at the first call.
func MaxScale(g *graph.Graph, hands graph.Options) (int16, error) {
	return maxScaleKey.Get(g, func() (top int16, err error) {
		var mu sync.Mutex
		found := false
		err = parallel.For(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			mu.Lock()
			defer mu.Unlock()
			for v := lo; v < hi; v++ {
				if found && g.Scales[v] <= top {
					continue
				}
				if slices.ContainsFunc(g.Biases[g.Indptr[v]:g.Indptr[v+1]], func(b uint32) bool { return b > 0 }) {
					top, found = g.Scales[v], true
				}
			}
			return nil
		})
		return top, err
	})
}
