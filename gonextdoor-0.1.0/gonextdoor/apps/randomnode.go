package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// RandomNode is random node sampling (Leskovec & Faloutsos, KDD'06; as in C-SAW, Pandey et al., SC'20). A sample is N
// vertices of the graph, drawn uniformly at random. Without replacement, a graph with fewer vertices is sampled completely.
type RandomNode struct {
	rootless
	N       int  `json:"n"` // vertices per sample, 1 to 2^28
	Replace bool `json:"replace"`
	Induced bool `json:"induced"` // whether the links are all edges between the vertices
}

// Name is "RandomNode".
func (a *RandomNode) Name() string { return "RandomNode" }

// Check returns an error if N is out of range.
func (a *RandomNode) Check() error { return checkDraws("n", a.N) }

// checkDraws returns an error if a number of draws is not from 1 to 2^28.
func checkDraws(name string, n int) error {
	if n < 1 || n > app.MaxWidth {
		return refuse.Value("%s = %d: expected from 1 to %d", name, n, app.MaxWidth)
	}
	return nil
}

// Bind returns the app itself.
func (a *RandomNode) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Permute or Uniform.
func (a *RandomNode) Selector() string { return app.FanoutSelector(a.Replace, app.No) }

// Records is Induced.
func (a *RandomNode) Records() bool { return a.Induced }

// Expect returns N vertices. If edges are recorded, the rows of all vertices are read.
func (a *RandomNode) Expect(_ int, on app.Size) app.Expected {
	e := app.PerVertex(float64(a.N))
	if a.Induced {
		e.Operations += e.Vertices * on.Degree()
	}
	return e
}

// Sample makes draw i with the word at slot i of DrawKey.
func (a *RandomNode) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	everything := index.Candidates{N: uint64(g.NumVertices())}
	for _, v := range app.Choices(everything, app.DrawKey(key), uint64(a.N), a.Replace, app.No) {
		row = row.Add(uint32(v), graph.NoEdge)
		row.Parents = append(row.Parents, -1)
	}
	if row = row.OneStep(); a.Induced {
		row = app.Induce(g, row)
	}
	return row
}

// Draws returns N and Replace.
func (a *RandomNode) Draws() (n int, replace bool) { return a.N, a.Replace }

var _ app.UniformDraws = (*RandomNode)(nil)
