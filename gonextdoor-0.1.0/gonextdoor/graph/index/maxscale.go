package index

import (
	"slices"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var maxScaleKey = graph.NewKey[int16](nil)

// MaxScale returns the largest scale of a row with a positive weight, or 0 if there is no such row. All weights of the graph
// are below 2^(32+MaxScale), which makes biases of different rows comparable. It is computed at the first call and cached.
func MaxScale(g *graph.Graph, opts graph.Options) (int16, error) {
	return maxScaleKey.Get(g, func() (top int16, err error) {
		var mu sync.Mutex
		found := false
		err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
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
