package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Method selects how the vertices of a hop choose their edges.
type Method string

// The values of Method. In LABOR (Balin and Catalyurek, NeurIPS 2023) each end point has one random number in a hop, which all
// vertices with an edge to it share. So they tend to take the same end points, and a batch has fewer nodes.
const (
	MethodNeighbor     Method = "neighbor"      // each vertex independently; also the zero value
	MethodLabor        Method = "labor"         // LABOR-0 by sequential Poisson sampling: as many edges as the fan-out
	MethodLaborPoisson Method = "labor-poisson" // LABOR-0 by Poisson sampling: the fan-out is the expected number of edges
)

// Labor reports whether the vertices of a hop share the random numbers of end points.
func (a *NeighborSampling) Labor() bool {
	return a.Method == MethodLabor || a.Method == MethodLaborPoisson
}

// checkMethod returns an error if Method is unknown or contradicts another parameter.
func (a *NeighborSampling) checkMethod() error {
	name := string(a.Method)
	if !a.Labor() {
		switch {
		case a.Method != "" && a.Method != MethodNeighbor:
			return refuse.Value(
				"method = %q: expected \"neighbor\", \"labor\" or \"labor-poisson\"; the importance sampling of LABOR-1 and LABOR-* is not supported", name)
		case a.LayerDependency:
			return refuse.Value("layer_dependency = True: expected False with method = \"neighbor\", in which vertices share no random numbers")
		}
		return nil
	}
	switch {
	case a.Replace:
		return refuse.Value("replace = True: expected False with method = %q, which takes an edge at most once", name)
	case a.Temporal != "":
		return refuse.Value("temporal = %q: expected None with method = %q, which does not support times", string(a.Temporal), name)
	case a.Disjoint:
		return refuse.Value("disjoint = True: expected False with method = %q, whose seed nodes share their neighbours", name)
	case a.Method == MethodLaborPoisson && a.Weighted == Yes:
		return a.poissonWeights()
	}
	return nil
}

// poissonWeights returns the refusal of weights.
func (a *NeighborSampling) poissonWeights() error {
	return refuse.Value("method = %q: does not support weights; use method = \"labor\", or weighted = False", string(a.Method))
}

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
