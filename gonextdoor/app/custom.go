package app

import "gonextdoor/gonextdoor/graph"

// Custom is an app of the user's own: a Growth. Hooks may be any Go functions that depend on nothing but
// what they are given: they are called from several threads, and more often than the definition does.
type Custom struct {
	Growth
}

// Grows gives the app itself.
func (a *Custom) Grows() *Growth { return &a.Growth }

// Name is "App".
func (a *Custom) Name() string { return "App" }

// Bind decides whether choices without an EdgeBias are weighted.
func (a *Custom) Bind(g *graph.Graph) (App, error) {
	bound := *a
	if a.EdgeBias != nil || a.Next != nil {
		bound.Weighted = No
		return &bound, nil
	}
	var err error
	bound.Weighted, err = a.Weighted.bind(g)
	return &bound, err
}
