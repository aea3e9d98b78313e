package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// RandomEdge takes N edges of the graph, all alike, and their end points (random edge sampling: Leskovec & Faloutsos,
// KDD'06; as in C-SAW, Pandey et al., SC'20). Without replacement a graph of fewer gives all.
type RandomEdge struct {
	rootless
	N       int  `json:"n"`
	Replace bool `json:"replace"`
}

// Name is "RandomEdge".
func (a *RandomEdge) Name() string { return "RandomEdge" }

// Check refuses a number that is not positive or too large.
func (a *RandomEdge) Check() error { return checkDraws("n", a.N) }

// Bind changes nothing.
func (a *RandomEdge) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Permute or Uniform.
func (a *RandomEdge) Selector() string { return fanoutSelector(a.Replace, No) }

// Expect returns both ends of each edge.
func (a *RandomEdge) Expect(int, Size) Expected { return same(2 * float64(a.N)) }

// Sample makes draw i with the word at slot i of DrawKey. The links are the edges drawn, in order.
func (a *RandomEdge) Sample(g *graph.Graph, key rng.Key, _ []uint32, row Row) Row {
	everything, s := index.Candidates{N: uint64(g.NumEdges())}, gather(row)
	for _, position := range choices(everything, DrawKey(key), uint64(a.N), a.Replace, No) {
		source, target := s.edge(g, position)
		s.row.Links = append(s.row.Links, Link{source, target, position, 1})
	}
	return s.row.oneStep()
}

// edge discovers both ends of an edge, its source first, and returns their places.
func (s *gathering) edge(g *graph.Graph, position uint64) (source, target int32) {
	source = s.discover(g.Source(position), graph.NoEdge, -1)
	return source, s.discover(g.Indices[position], position, source)
}
