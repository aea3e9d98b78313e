//go:build cgo && linux

package program_test

import (
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/parallel"
)

// A row of 2^63 edges or more, as a file may have that changes while it is read, is an error: the hook is not called for more
// edges than it has room for.
func TestMaximaOfAChangedFile(t *testing.T) {
	const more = 1 << 13 // edges of the row, modulo 2^32
	for _, degree := range []uint64{1<<63 + more, 3<<62 + more, 1<<40 + more} {
		g := &graph.Graph{Indptr: []uint64{0, 0, 1}, Indices: hooktest.Cut(t)[:1]}
		rows, err := program.BeginRows(&program.Custom{Kernels: hooktest.Ends()}, g, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g.Indptr[2] = degree
		err = parallel.Guard(func() error { rows.RowMaxima(0, 2, make([]uint32, 2)); return nil })
		if err == nil || !strings.Contains(err.Error(), "memory that is not there") {
			t.Errorf("a row of %d edges: got %v", degree, err)
		}
	}
}
