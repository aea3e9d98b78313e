package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

// RunningSums returns for each of n numbers the sum of it and those before. Threads call of, which may read a row of a graph.
func RunningSums(n int, of func(i int) uint64, opts graph.Options) ([]uint64, error) {
	const grain = 1 << 12
	sums := make([]uint64, n)
	err := parallel.For(opts.Job, opts.Threads, n, grain, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			sums[i] = of(i)
		}
		return nil
	})
	for i := 1; i < n; i++ {
		sums[i] += sums[i-1]
	}
	return sums, err
}
