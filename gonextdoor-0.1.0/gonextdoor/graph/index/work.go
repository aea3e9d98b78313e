package index

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
)

// announce adds work to the counter of a graph and returns the sum so far.
func announce(counter graph.Key[*atomic.Int64], g *graph.Graph, work int) int64 {
	sum, _ := counter.Get(g, func() (*atomic.Int64, error) { return new(atomic.Int64), nil })
	return sum.Add(int64(work))
}
