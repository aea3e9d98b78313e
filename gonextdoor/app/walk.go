package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// Walk is a biased walk: each of Length steps takes an edge in proportion to its weight or to the degree of its end
// point, or all alike (C-SAW, Pandey et al., SC'20). It is a DeepWalk on the graph that View gives, and its samples are
// those of DeepWalk where the bias is not the degree.
type Walk struct {
	Bias     Bias `json:"bias"`
	Length   int  `json:"length"`
	Computed bool `json:"computed"` // biases are read when they come up, and no tables made of them
}

// Name is "Walk".
func (a *Walk) Name() string { return "Walk" }

// Check refuses a length below 0.
func (a *Walk) Check() error { return checkLength("length", a.Length, 0) }

// View gives the graph with the degrees as biases where the walk is to follow them.
func (a *Walk) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if a.Computed && a.Bias == ByDegree {
		return g, nil
	}
	return a.Bias.View(g, options)
}

// ViewsDegrees is true if the degrees are stored as biases.
func (a *Walk) ViewsDegrees() bool { return a.Bias == ByDegree && !a.Computed }

// Weighs is true where the choices follow the biases of View by alias tables.
func (a *Walk) Weighs(*graph.Graph) bool { return a.Bias != Uniform && !a.Computed }

// walk is what the app comes down to.
func (a *Walk) walk() *DeepWalk {
	w := &DeepWalk{Length: a.Length, Weighted: a.Bias.Weighted()}
	if a.Computed && w.Weighted == Yes {
		w.Weighted, w.byDegree = Computed, a.Bias == ByDegree
	}
	return w
}

// Bind gives the DeepWalk that the app is.
func (a *Walk) Bind(g *graph.Graph) (App, error) {
	w := a.walk()
	if w.byDegree {
		return w, nil
	}
	return w.Bind(g)
}

// Selector is that of a DeepWalk.
func (a *Walk) Selector() string { return a.walk().Selector() }

// Width is Length+1.
func (a *Walk) Width(roots int) int { return roots + a.Length }

// Expect returns the walk. A computed bias by degree has a loose bound, so that many a choice weighs a row.
func (a *Walk) Expect(_ int, on Size) Expected {
	e := same(float64(a.Length))
	switch {
	case !ComputesOn(a, on) || on.Vertices == 0:
	case a.Bias == ByDegree: // which never leads to a sink
		e.Operations *= 5 + on.Neighbor()/40
	default:
		e.Operations = walked(e.Vertices, on.Steps(e.Vertices, 0), endedComputed)
	}
	return e
}

// Sample is that of a DeepWalk, on the graph of View.
func (a *Walk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.walk().Sample(g, key, roots, row)
}
