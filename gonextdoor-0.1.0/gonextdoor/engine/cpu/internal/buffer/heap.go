// Package buffer grows the arrays of the CPU drivers: slices on the Go heap, whose growth is refused before memory runs out,
// and arrays lent from offheap.Results, which hold results and unfinished samples.
package buffer

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/offheap"
)

// Grow returns s with capacity for n more elements. If the Go heap cannot grow by that amount, it panics with a memory
// refusal, which package parallel turns into the error of the run.
func Grow[T any](s []T, n int) []T {
	if n <= cap(s)-len(s) {
		return s
	}
	s, err := offheap.Room(s, n)
	if err != nil {
		panic(err)
	}
	return s
}

// GrowRow returns a row with capacity for n more vertices, edges and parents. It panics like Grow.
func GrowRow(row app.Row, n int) app.Row {
	row.Vertices, row.Edges, row.Parents = Grow(row.Vertices, n), Grow(row.Edges, n), Grow(row.Parents, n)
	return row
}

// MustFit panics like Grow if the Go heap cannot grow by the given number of bytes. Drivers call it before a selector that
// allocates scratch memory.
func MustFit(bytes int64) {
	if err := offheap.CheckHeap(bytes); err != nil {
		panic(err)
	}
}

// Memory that selectors allocate, in bytes.
const (
	ScratchBytes = 2 * 4 * 8 // upper bound of a selector's scratch memory per pick
	SumBytes     = 2 * 8     // upper bound of a selector's prefix sums per candidate
)
