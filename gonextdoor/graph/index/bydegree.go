package index

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var byDegreeKey = graph.NewKey((*graph.Graph).Close)

// ByDegree returns the view of the graph in which the bias of an edge is the degree of its end point, at most 2^32-1. The
// view is built at the first call, and closed with the graph. It has separate biases (4 bytes per edge) and alias tables, and
// shares everything else with the graph.
func ByDegree(g *graph.Graph, opts graph.Options) (*graph.Graph, error) {
	g = g.Base()
	return byDegreeKey.Get(g, func() (*graph.Graph, error) { return ByDegreeOf(g, g.Degree, opts) })
}

// ByDegreeNow returns the view of ByDegree if it has been built, otherwise nil.
func ByDegreeNow(g *graph.Graph) *graph.Graph { return byDegreeKey.Now(g.Base()) }

// ByDegreeOf builds the view of ByDegree of a graph that may have the rows of some vertices only. degree returns the degree of
// any end point. The caller closes the view.
func ByDegreeOf(g *graph.Graph, degree func(u uint32) uint64, opts graph.Options) (*graph.Graph, error) {
	return WithBiases(graph.NewView(g), func(biases []uint32) error {
		return parallel.For(opts.Job, opts.Threads, len(biases), graph.EdgeChunk, func(lo, hi int) error {
			for p, u := range g.Indices[lo:hi] {
				biases[lo+p] = uint32(min(degree(u), math.MaxUint32))
			}
			return nil
		})
	})
}

// WithBiases gives biases, which are also the weights, to a graph that shares the other arrays of another one. fill writes
// them, one per edge. After an error, v is closed.
func WithBiases(v *graph.Graph, fill func(biases []uint32) error) (_ *graph.Graph, err error) {
	defer func() {
		if err != nil {
			v.Close()
		}
	}()
	if v.Biases, err = offheap.Make[uint32](v.NumEdges()); err != nil {
		return nil, err
	}
	graph.Own(v, v.Biases)
	if v.Scales, err = offheap.Make[int16](v.NumVertices()); err != nil { // zeros: the bias is the weight
		return nil, err
	}
	graph.Own(v, v.Scales)
	return v, fill(v.Biases)
}
