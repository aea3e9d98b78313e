package index

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var byDegreeKey = graph.NewKey((*graph.Graph).Close)

// ByDegree gives the view of the graph whose biases are the degrees of the edges' end points (2^32-1 at most). It is made
// at the first call and kept as long as the graph, which closes it. It shares all arrays but its biases, which take 4 bytes
// an edge, and its alias tables; what else is derived of it is the graph's own.
func ByDegree(g *graph.Graph, hands graph.Options) (*graph.Graph, error) {
	g = g.Base()
	return byDegreeKey.Get(g, func() (*graph.Graph, error) { return makeByDegree(g, hands) })
}

func makeByDegree(g *graph.Graph, hands graph.Options) (v *graph.Graph, err error) {
	v = graph.NewView(g)
	defer func() {
		if err != nil {
			v.Close()
			v = nil
		}
	}()
	if v.Biases, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return v, err
	}
	graph.Own(v, v.Biases)
	if v.Scales, err = offheap.Make[int16](g.NumVertices()); err != nil { // zeros: the bias is the weight
		return v, err
	}
	graph.Own(v, v.Scales)
	return v, parallel.For(hands.Job, hands.Threads, g.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
		for p, u := range g.Indices[lo:hi] {
			v.Biases[lo+p] = uint32(min(g.Degree(u), math.MaxUint32))
		}
		return nil
	})
}
