package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Weighted says whether an app follows the edges' weights: "auto", yes, no, or yes as computed biases.
type Weighted int

// The values of Weighted. The zero value is Auto: weighted where the graph has weights. Computed follows the weights
// without tables made of them: they are read when a choice comes to them. Walks alone can.
const (
	Auto Weighted = iota
	Yes
	No
	Computed
)

// UnmarshalJSON reads "auto", "computed", true or false.
func (w *Weighted) UnmarshalJSON(b []byte) error {
	switch string(bytes.TrimSpace(b)) {
	case `"auto"`:
		*w = Auto
	case `"computed"`:
		*w = Computed
	case "true":
		*w = Yes
	case "false":
		*w = No
	default:
		return refuse.Type("weighted = %s: expected \"auto\", \"computed\", True or False", b)
	}
	return nil
}

// follows says whether the app's choices follow g's weights, which takes alias tables.
func (w Weighted) follows(g *graph.Graph) bool { return (w == Auto || w == Yes) && g.Weighted() }

// bind decides Auto for a graph, and refuses weights that it does not have.
func (w Weighted) bind(g *graph.Graph) (Weighted, error) {
	switch {
	case w == Yes && !g.Weighted():
		return w, refuse.Value("weighted = True: the graph has no weights")
	case w == Computed && !g.Weighted():
		return w, refuse.Value("weighted = \"computed\": the graph has no weights")
	case w == Computed:
		return w, nil
	case !w.follows(g):
		return No, nil
	}
	return Yes, nil
}

// stored refuses computed biases where choices are made by tables alone.
func (w Weighted) stored() error {
	if w == Computed {
		return refuse.Value("weighted = \"computed\": expected \"auto\", True or False; walks alone compute their biases")
	}
	return nil
}
