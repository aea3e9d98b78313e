package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// RandomEdge is random edge sampling (Leskovec & Faloutsos, KDD'06; as in C-SAW, Pandey et al., SC'20). A sample is N edges
// of the graph, drawn uniformly at random, and their end points, each once. Without replacement, a graph with fewer edges
// is sampled completely. A graph without edges gives an empty sample.
type RandomEdge struct {
	rootless
	N       int  `json:"n"` // edges per sample, 1 to 2^28
	Replace bool `json:"replace"`
}

// Name is "RandomEdge".
func (a *RandomEdge) Name() string { return "RandomEdge" }

// Check returns an error if N is out of range.
func (a *RandomEdge) Check() error { return checkDraws("n", a.N) }

// Bind returns the app itself.
func (a *RandomEdge) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Permute or Uniform.
func (a *RandomEdge) Selector() string { return app.FanoutSelector(a.Replace, app.No) }

// Expect returns the two ends of each edge.
func (a *RandomEdge) Expect(int, app.Size) app.Expected { return app.PerVertex(2 * float64(a.N)) }

// Sample makes draw i with the word at slot i of DrawKey. The links are the edges drawn, in order.
func (a *RandomEdge) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	everything, s := index.Candidates{N: uint64(g.NumEdges())}, newDistinctSample(row)
	for _, position := range app.Choices(everything, app.DrawKey(key), uint64(a.N), a.Replace, app.No) {
		source, target := s.edge(g, position)
		s.row.Links = append(s.row.Links, app.Link{Source: source, Target: target, Position: position, Value: 1})
	}
	return s.row.OneStep()
}

// edge discovers both ends of an edge, its source first, and returns their places.
func (s *distinctSample) edge(g *graph.Graph, position uint64) (source, target int32) {
	source = s.discover(g.Source(position), graph.NoEdge, -1)
	return source, s.discover(g.Indices[position], position, source)
}

// Draws returns N and Replace.
func (a *RandomEdge) Draws() (n int, replace bool) { return a.N, a.Replace }

var _ app.UniformDraws = (*RandomEdge)(nil)
