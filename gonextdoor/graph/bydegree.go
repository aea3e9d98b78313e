package graph

import (
	"math"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var byDegreeKey = NewKey((*Graph).Close)

// ByDegree gives the view of the graph whose biases are the degrees of the edges' end points (2^32-1 at most). It is made
// at the first call and kept as long as the graph, which closes it. It shares all arrays but its biases, which take 4 bytes
// an edge, and its alias tables; what else is derived of it is the graph's own.
func (g *Graph) ByDegree(hands Hands) (*Graph, error) {
	g = g.Base()
	return byDegreeKey.Get(g, func() (*Graph, error) { return g.makeByDegree(hands) })
}

func (g *Graph) makeByDegree(hands Hands) (v *Graph, err error) {
	v = &Graph{
		Indptr: g.Indptr, Indices: g.Indices, EdgeIDs: g.EdgeIDs, EdgeIDs64: g.EdgeIDs64,
		Labels: g.Labels, Times: g.Times, Names: g.Names,
		maxDegree: g.maxDegree, hasSinks: g.hasSinks, base: g,
	}
	defer func() {
		if err != nil {
			v.Close()
			v = nil
		}
	}()
	if v.Biases, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return v, err
	}
	owned(v, v.Biases)
	if v.Scales, err = offheap.Make[int16](g.NumVertices()); err != nil { // zeros: the bias is the weight
		return v, err
	}
	owned(v, v.Scales)
	return v, parallel.For(hands.Job, hands.Threads, g.NumEdges(), edgeChunk, func(lo, hi int) error {
		for p, u := range g.Indices[lo:hi] {
			v.Biases[lo+p] = uint32(min(g.Degree(u), math.MaxUint32))
		}
		return nil
	})
}

// Base gives the graph that this one is a view of, or the graph itself.
func (g *Graph) Base() *Graph {
	if g.base != nil {
		return g.base
	}
	return g
}
