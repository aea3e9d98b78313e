package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// rows are the rows from which walks choose: those that a part owns or the hot ones, with the tables that the app reads.
type rows struct {
	g       *graph.Graph
	indptr  []uint64
	indices []uint32
	slots   []index.AliasSlot // of weighted choices; nil: choices are uniform
	reach   []index.Reach     // of choices with outliers; nil: every row has index.SingleReach
	tries   []uint8           // of computed choices by weight; nil: program.Tries
	labels  index.LabelRows   // of walks along labels
	times   timeRows          // of walks in order of time
}

// newRows returns the rows of a graph without tables.
func newRows(g *graph.Graph) *rows { return &rows{g: g, indptr: g.Indptr, indices: g.Indices} }

// choose selects an edge of a row by a word, by weight if the rows have alias tables. fraction is independent of the choice.
// It returns ok = false if no edge has a bias.
func (r *rows) choose(row uint32, word uint64) (position uint64, fraction uint32, ok bool) {
	first, end := r.indptr[row], r.indptr[row+1]
	if first == end {
		return graph.NoEdge, rng.Second(word), false
	}
	i, fraction := rng.Below(word, end-first)
	if r.slots == nil {
		return first + i, fraction, true
	}
	slot := &r.slots[first+i]
	if slot.Vertex == graph.None {
		return graph.NoEdge, rng.Second(word), false
	}
	if fraction >= slot.Threshold {
		i = uint64(slot.AliasPosition)
	}
	return first + i, rng.Second(word), true
}

// weigh builds the alias tables of rows for an app whose choices follow weights.
func (r *rows) weigh(w app.Weighted, opts graph.Options) error {
	if w != app.Yes {
		return nil
	}
	if err := index.BuildAlias(r.g, opts); err != nil {
		return err
	}
	r.slots = index.AliasOf(r.g)
	return nil
}
