package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// RandomNode takes N vertices of the graph, all alike, and the edges between them where Induced (random node sampling:
// Leskovec & Faloutsos, KDD'06; as in C-SAW, Pandey et al., SC'20). Without replacement a graph of fewer gives all.
type RandomNode struct {
	rootless
	N       int  `json:"n"`
	Replace bool `json:"replace"`
	Induced bool `json:"induced"`
}

// Name is "RandomNode".
func (a *RandomNode) Name() string { return "RandomNode" }

// Check refuses a number that is not positive or too large.
func (a *RandomNode) Check() error { return checkDraws("n", a.N) }

// checkDraws refuses a number of draws.
func checkDraws(name string, n int) error {
	if n < 1 || n > maxWidth {
		return refuse.Value("%s = %d: expected from 1 to %d", name, n, maxWidth)
	}
	return nil
}

// Bind changes nothing.
func (a *RandomNode) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Permute or Uniform.
func (a *RandomNode) Selector() string { return fanoutSelector(a.Replace, No) }

// Records says whether the edges are wanted.
func (a *RandomNode) Records() bool { return a.Induced }

// Expect returns the vertices; if edges are wanted, their rows are read.
func (a *RandomNode) Expect(_ int, on Size) Expected {
	e := same(float64(a.N))
	if a.Induced {
		e.Operations += e.Vertices * on.Degree()
	}
	return e
}

// DrawKey is the key that hangs under a sample's for its graph-wide draws: draw i has the word at slot i.
func DrawKey(key rng.Key) rng.Key { return key.Stream(0).Key(0) }

// Sample makes draw i with the word at slot i of DrawKey.
func (a *RandomNode) Sample(g *graph.Graph, key rng.Key, _ []uint32, row Row) Row {
	everything := index.Candidates{N: uint64(g.NumVertices())}
	for _, v := range choices(everything, DrawKey(key), uint64(a.N), a.Replace, No) {
		row = row.Add(uint32(v), graph.NoEdge)
		row.Parents = append(row.Parents, -1)
	}
	if row = row.oneStep(); a.Induced {
		row = induce(g, row)
	}
	return row
}
