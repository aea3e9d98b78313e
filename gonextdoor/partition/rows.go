package partition

import (
	"slices"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
)

// rows are the rows from which walks choose: those that a part owns or the hot ones, with the tables that the app reads.
type rows struct {
	g        *graph.Graph
	indptr   []uint64
	indices  []uint32
	tables   *stage.Tables      // of the stages
	outliers stage.Outliers     // of choices with outliers
	bias     stage.ComputedBias // of computed choices
	path     stage.LabelPath    // of walks along labels
	times    timeRows           // of walks in order of time
}

// newRows returns the rows of a graph without tables.
func newRows(g *graph.Graph) *rows { return &rows{g: g, indptr: g.Indptr, indices: g.Indices} }

// has reports whether a row has an edge to a vertex.
func (r *rows) has(row, to uint32) bool {
	_, ok := slices.BinarySearch(r.indices[r.indptr[row]:r.indptr[row+1]], to)
	return ok
}
