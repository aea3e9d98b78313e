package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Weighted says whether an app follows the edges' weights: "auto", yes or no.
type Weighted int

// The values of Weighted. The zero value is Auto: weighted where the graph has weights.
const (
	Auto Weighted = iota
	Yes
	No
)

// UnmarshalJSON reads "auto", true or false.
func (w *Weighted) UnmarshalJSON(b []byte) error {
	switch string(bytes.TrimSpace(b)) {
	case `"auto"`:
		*w = Auto
	case "true":
		*w = Yes
	case "false":
		*w = No
	default:
		return refuse.Type("weighted = %s: expected \"auto\", True or False", b)
	}
	return nil
}

// follows says whether the app's choices follow g's weights, which takes alias tables.
func (w Weighted) follows(g *graph.Graph) bool { return w != No && g.Weighted() }

// bind decides Auto, and makes what a weighted choice needs.
func (w Weighted) bind(g *graph.Graph) (Weighted, error) {
	switch {
	case w == Yes && !g.Weighted():
		return w, refuse.Value("weighted = True: the graph has no weights")
	case !w.follows(g):
		return No, nil
	}
	return Yes, g.MakeAlias()
}
