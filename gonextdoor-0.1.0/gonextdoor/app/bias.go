package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Bias is the quantity in proportion to which an app chooses edges.
type Bias int

// The values of Bias. The zero value is Uniform.
const (
	Uniform  Bias = iota // the same for every edge
	ByWeight             // the weight of the edge
	ByDegree             // the degree of the end point
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

// Weighted returns Yes if choices follow the biases of the graph that View returns, and No if they are uniform.
func (b Bias) Weighted() Weighted {
	if b == Uniform {
		return No
	}
	return Yes
}

// View returns the graph to sample from: g, or the view of g whose biases are degrees, which is built at the first call.
func (b Bias) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if b == ByDegree {
		return index.ByDegree(g, options)
	}
	return g, b.Check(g)
}

// Check returns an error if b is ByWeight and g has no weights.
func (b Bias) Check(g *graph.Graph) error {
	if b == ByWeight && !g.Weighted() {
		return refuse.Value("bias = \"weight\": the graph has no weights")
	}
	return nil
}

// Viewer is an app that samples from a view of the graph, whose biases are not its weights.
type Viewer interface {
	// View returns the graph to pass to Bind and to sample from, building it first if necessary.
	View(g *graph.Graph, options graph.Options) (*graph.Graph, error)
	// ViewsDegrees reports whether View returns the view whose biases are degrees.
	ViewsDegrees() bool
}

// ViewNow returns the view of g that an app samples from if it has been built, otherwise nil.
func ViewNow(a any, g *graph.Graph) *graph.Graph {
	if v, ok := a.(interface {
		ViewNow(g *graph.Graph) *graph.Graph
	}); ok {
		return v.ViewNow(g)
	}
	if v, ok := a.(Viewer); ok && v.ViewsDegrees() {
		return index.ByDegreeNow(g)
	}
	return nil
}

// View returns the graph that an app samples from: its view if it is a Viewer, and g otherwise.
func View(a any, g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if v, ok := a.(Viewer); ok {
		return v.View(g, options)
	}
	return g, nil
}
