package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Weighted selects whether choices follow the weights of edges.
type Weighted int

// The values of Weighted. The zero value is Auto.
const (
	Auto     Weighted = iota // if the graph has weights
	Yes                      // by alias tables; a graph without weights is an error
	No                       // choices are uniform
	Computed                 // without alias tables: weights are read when a choice needs them; for walks only
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

// Follows reports whether choices follow the weights of g by alias tables.
func (w Weighted) Follows(g *graph.Graph) bool { return (w == Auto || w == Yes) && g.Weighted() }

// Bind resolves Auto for a graph. It returns an error if weights are required and g has none.
func (w Weighted) Bind(g *graph.Graph) (Weighted, error) {
	switch {
	case w == Yes && !g.Weighted():
		return w, refuse.Value("weighted = True: the graph has no weights")
	case w == Computed && !g.Weighted():
		return w, refuse.Value("weighted = \"computed\": the graph has no weights")
	case w == Computed:
		return w, nil
	case !w.Follows(g):
		return No, nil
	}
	return Yes, nil
}

// CheckStored returns an error for Computed, for apps whose choices need alias tables.
func (w Weighted) CheckStored() error {
	if w == Computed {
		return refuse.Value("weighted = \"computed\": expected \"auto\", True or False; only walks can compute their biases")
	}
	return nil
}
