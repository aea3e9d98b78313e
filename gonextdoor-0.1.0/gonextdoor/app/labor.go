package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// EndStream returns the stream whose Number of an end point, a vertex of a type, is its random number in a hop. With
// LayerDependency all hops share the stream.
func (a *NeighborSampling) EndStream(seed uint64, source, hop int) rng.Stream {
	if a.LayerDependency {
		hop = 0
	}
	return HopStream(seed, source, hop)
}

// takeLabor is take for LABOR, in row order. stream is the EndStream of the source type.
func (a *NeighborSampling) takeLabor(g *graph.Graph, u uint32, stream rng.Stream, fanout int, excluded map[int64]bool) []uint64 {
	c := index.CandidatesWithout(g, u, excluded)
	k := c.N // all edges
	if fanout >= 0 {
		k = uint64(fanout)
	}
	words, biases := make([]uint64, c.N), []uint32(nil)
	for i := range c.N {
		words[i] = stream.Number(g.Indices[c.Position(i)])
		if a.Weighs(g) {
			biases = append(biases, g.Biases[c.Position(i)])
		}
	}
	var picks []uint64
	if a.Method == MethodLaborPoisson {
		picks = selector.Poisson(k, words, nil)
	} else {
		picks = selector.SequentialPoisson(k, words, biases, nil)
	}
	for i, p := range picks {
		picks[i] = c.Position(p)
	}
	return picks
}
