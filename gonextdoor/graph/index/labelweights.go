package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// LabelWeights are the biases of the edges of LabelRows and their sums, by which a search draws an edge of a label in proportion
// to its bias. The edges of a vertex with one label count as a row.
type LabelWeights struct {
	Biases []uint32 // of the edges in the order of LabelRows.Indices
	// Segments has Totals[i] of the edges from LabelRows.Starts[i] on. It is empty if there is no Starts.
	Segments
}

func (w LabelWeights) free() {
	offheap.Free(w.Biases)
	w.Segments.free()
}

var labelWeightsKey = graph.NewKey(LabelWeights.free)

// LabelWeightsOf returns the biases of a graph in the order of its rows by label, which must have been built. They are empty if the
// graph is unweighted.
func LabelWeightsOf(g *graph.Graph, rows LabelRows, opts graph.Options) (LabelWeights, error) {
	if !g.Weighted() || len(rows.Indices) == 0 {
		return LabelWeights{}, nil
	}
	return labelWeightsKey.Get(g, func() (w LabelWeights, err error) {
		if err = w.build(g, rows, opts); err != nil {
			w.free()
			w = LabelWeights{}
		}
		return w, err
	})
}

// LabelWeightsNow returns the biases of LabelWeightsOf, which are empty if they have not been built.
func LabelWeightsNow(g *graph.Graph) LabelWeights { return labelWeightsKey.Now(g) }

func (w *LabelWeights) build(g *graph.Graph, rows LabelRows, opts graph.Options) (err error) {
	kinds := 0
	if rows.Starts != nil {
		kinds = len(rows.Kinds)
		if w.Totals, err = offheap.Make[uint64](len(rows.Starts) - 1); err != nil {
			return err
		}
		if w.Sums, err = offheap.Make[uint64](segmentsOf(g.NumEdges())); err != nil {
			return err
		}
	}
	if w.Biases, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return err
	}
	return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			first, end := g.Row(uint32(v))
			for i := first; i < end; i++ {
				w.Biases[i] = g.Biases[first+uint64(rows.Places[i])]
			}
			for k := v * kinds; k < (v+1)*kinds; k++ {
				w.Totals[k] = w.add(w.Biases, rows.Starts[k], rows.Starts[k+1])
			}
		}
		return nil
	})
}
