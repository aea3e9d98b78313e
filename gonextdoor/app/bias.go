package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Bias names what an app chooses edges in proportion to.
type Bias int

// The values of Bias. The zero value is Uniform.
const (
	Uniform  Bias = iota // nothing: all edges are alike
	ByWeight             // the edge's weight
	ByDegree             // the degree of its end point
)

// UnmarshalJSON reads "uniform" or null, "weight" and "degree".
func (b *Bias) UnmarshalJSON(text []byte) error {
	switch string(bytes.TrimSpace(text)) {
	case `"uniform"`, "null":
		*b = Uniform
	case `"weight"`:
		*b = ByWeight
	case `"degree"`:
		*b = ByDegree
	default:
		return refuse.Type("bias = %s: expected \"uniform\", \"weight\" or \"degree\"", text)
	}
	return nil
}

// Weighted says whether choices follow the biases of the graph that View gives.
func (b Bias) Weighted() Weighted {
	if b == Uniform {
		return No
	}
	return Yes
}

// View returns the graph that choices are made on: g, or the view of it whose biases are degrees.
func (b Bias) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if b == ByDegree {
		return index.ByDegree(g, options)
	}
	return g, b.check(g)
}

// check refuses a bias by weights that the graph does not have.
func (b Bias) check(g *graph.Graph) error {
	if b == ByWeight && !g.Weighted() {
		return refuse.Value("bias = \"weight\": the graph has no weights")
	}
	return nil
}

// Viewer is an app that chooses on a view of the graph: with other biases than its weights.
type Viewer interface {
	// View gives the graph that Bind is given, and everything that samples. It is made by options where it is not there yet.
	View(g *graph.Graph, options graph.Options) (*graph.Graph, error)
	// ViewsDegrees reports whether View returns the view whose biases are degrees.
	ViewsDegrees() bool
}

// View gives the graph that an app chooses on: g itself, but for a Viewer.
func View(a any, g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if v, ok := a.(Viewer); ok {
		return v.View(g, options)
	}
	return g, nil
}
