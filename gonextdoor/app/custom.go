package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Custom is an app of the user's own: a Growth. Hooks may be any Go functions that depend on nothing but
// what they are given: they are called from several threads, and more often than the definition does.
type Custom struct {
	Growth
}

// Grows gives the app itself.
func (a *Custom) Grows() *Growth { return &a.Growth }

// Name is "App".
func (a *Custom) Name() string { return "App" }

// Check refuses what no graph could make right.
func (a *Custom) Check() error {
	if a.Weighted == Yes && !a.static() {
		return refuse.Value("weighted = True: edge_bias and next have their own; expected \"auto\" or False")
	}
	return a.Growth.Check()
}

// Bind decides whether choices without an EdgeBias are weighted. Collective ones are not: rows have units of their own.
func (a *Custom) Bind(g *graph.Graph) (App, error) {
	bound := *a
	if !a.static() || a.Scope == Collective {
		bound.Weighted = No
		return &bound, nil
	}
	var err error
	bound.Weighted, err = a.Weighted.bind(g)
	return &bound, err
}
