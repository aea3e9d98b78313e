package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/offheap"
)

// grown gives s with room for n more elements. It panics with a refusal, which parallel makes the error of the run, if
// Go's heap cannot grow by as much.
func grown[T any](s []T, n int) []T {
	if n <= cap(s)-len(s) {
		return s
	}
	s, err := offheap.Room(s, n)
	if err != nil {
		panic(err)
	}
	return s
}

// grownRow gives a row with room for n more vertices that edges led to, and for their parents; it panics as grown does.
func grownRow(row app.Row, n int) app.Row {
	row.Vertices, row.Edges, row.Parents = grown(row.Vertices, n), grown(row.Edges, n), grown(row.Parents, n)
	return row
}

// afford panics as grown does if Go's heap cannot grow by that many bytes now.
func afford(bytes int64) {
	if err := offheap.CheckHeap(bytes); err != nil {
		panic(err)
	}
}

const (
	scratchBytes = 2 * 4 * 8 // what the selectors' scratch takes at most for each pick
	sumBytes     = 2 * 8     // what their sums take at most for each candidate
)
