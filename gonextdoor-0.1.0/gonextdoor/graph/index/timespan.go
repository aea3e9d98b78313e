package index

import (
	"math"
	"math/bits"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var timeSpanKey = graph.NewKey[uint64](nil)

// TimeSpan returns the time between the first and the last edge of a graph, 0 if it has no edge. g must have times, which
// the first call reads.
func TimeSpan(g *graph.Graph, opts graph.Options) (uint64, error) {
	g = g.Base()
	return timeSpanKey.Get(g, func() (uint64, error) {
		var mu sync.Mutex
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		err := parallel.For(opts.Job, opts.Threads, g.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
			low, high := g.Times[lo], g.Times[lo]
			for _, t := range g.Times[lo:hi] {
				low, high = min(low, t), max(high, t)
			}
			mu.Lock()
			defer mu.Unlock()
			least, most = min(least, low), max(most, high)
			return nil
		})
		if g.NumEdges() == 0 {
			return 0, err
		}
		return uint64(most) - uint64(least), err
	})
}

// MeanGap returns the mean time between two successive edges of a vertex, rounded down, at least 1: TimeSpan divided by the
// mean degree.
func MeanGap(g *graph.Graph, opts graph.Options) (uint64, error) {
	span, err := TimeSpan(g, opts)
	return MeanGapOf(span, uint64(g.NumVertices()), uint64(g.NumEdges())), err
}

// MeanGapOf is MeanGap of a graph with the given time span and sizes.
func MeanGapOf(span, vertices, edges uint64) uint64 {
	high, low := bits.Mul64(span, vertices)
	if high < edges {
		gap, _ := bits.Div64(high, low, edges)
		return max(1, gap)
	}
	return max(1, span) // less than one edge per vertex, or none
}
