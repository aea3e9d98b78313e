package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Walk is a biased random walk (C-SAW, Pandey et al., SC'20). Each step from u takes an edge (u, v) with probability
// proportional to its bias: 1, w(u, v), or deg(v). It is a DeepWalk on the graph that View returns. If the bias is not the
// degree, the samples are equal to those of DeepWalk.
//
// A walk ends at a dead end: a vertex without an edge of positive bias. The remaining vertices are graph.None.
type Walk struct {
	Bias     app.Bias `json:"bias"`     // Uniform, ByWeight or ByDegree
	Length   int      `json:"length"`   // steps, 0 to MaxLength
	Computed bool     `json:"computed"` // whether biases are computed when a choice needs them, instead of building alias tables
}

// Name is "Walk".
func (a *Walk) Name() string { return "Walk" }

// Check returns an error if Length is out of range.
func (a *Walk) Check() error { return app.CheckLength("length", a.Length, 0) }

// View returns the graph whose biases are degrees if the walk needs it, building it first if necessary.
func (a *Walk) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if a.Computed && a.Bias == app.ByDegree {
		return g, nil
	}
	return a.Bias.View(g, options)
}

// ViewsDegrees is true if the degrees are stored as biases.
func (a *Walk) ViewsDegrees() bool { return a.Bias == app.ByDegree && !a.Computed }

// Weighs reports whether the choices follow the biases of View by alias tables.
func (a *Walk) Weighs(*graph.Graph) bool { return a.Bias != app.Uniform && !a.Computed }

// walk returns the DeepWalk that the app is equal to on the graph of View.
func (a *Walk) walk() *DeepWalk {
	w := &DeepWalk{Length: a.Length, Weighted: a.Bias.Weighted()}
	if a.Computed && w.Weighted == app.Yes {
		w.Weighted, w.byDegree = app.Computed, a.Bias == app.ByDegree
	}
	return w
}

// Bind returns the bound DeepWalk that the app is equal to.
func (a *Walk) Bind(g *graph.Graph) (app.App, error) {
	w := a.walk()
	if w.byDegree {
		return w, nil
	}
	return w.Bind(g)
}

// Selector is that of the DeepWalk.
func (a *Walk) Selector() string { return a.walk().Selector() }

// Width is Length+1.
func (a *Walk) Width(roots int) int { return roots + a.Length }

// Expect returns Length steps. A computed bias by degree has a loose bound, so many choices read a whole row.
func (a *Walk) Expect(_ int, on app.Size) app.Expected {
	e := app.PerVertex(float64(a.Length))
	switch {
	case on.Vertices == 0:
	case a.ComputedOn(on): // by degree, which never leads to a sink
		e.Operations *= 5 + on.Neighbor()/40
	case a.SearchedOn(on):
		e.Operations = app.Walked(e.Vertices, on.Steps(e.Vertices, 0), app.EndedComputed)
	}
	return e
}

// Sample is that of the DeepWalk. g must be the graph of View.
func (a *Walk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.walk().Sample(g, key, roots, row)
}

// ComputedOn is what app.ComputesOn returns.
func (a *Walk) ComputedOn(app.Size) bool { return a.Computed && a.Bias == app.ByDegree }

// SearchedOn is what app.SearchesOn returns.
func (a *Walk) SearchedOn(app.Size) bool { return a.Computed && a.Bias == app.ByWeight }

// Tables returns those of the DeepWalk.
func (a *Walk) Tables(g *graph.Graph) []*index.Table { return a.walk().Tables(g) }

// Draft is Bind without tables; see app.Draft.
func (a *Walk) Draft(g *graph.Graph) (app.App, error) {
	if err := a.Bias.Check(g); err != nil || a.ViewsDegrees() {
		return a.walk(), err
	}
	return a.Bind(g)
}

// RowLocal is true unless the bias is the degree, which is that of vertices that the walk need not visit.
func (a *Walk) RowLocal(bool) bool { return a.Bias != app.ByDegree }
