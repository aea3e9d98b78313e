// Package plan determines how an app runs on a graph, and estimates its cost. A plan is plain data and never changes a
// result.
package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Plan describes how an engine runs an app on a graph. It is immutable, and threads may share it.
type Plan struct {
	App      app.App      // bound to the graph
	Given    app.App      // before it was bound: its cost is known
	Graph    *graph.Graph // the graph to sample from: the caller's, or a view of it
	Selector string
	Driver   app.Driver
	Packed   bool   // whether rows are found by the packed vertex records; by Indptr otherwise
	Tables   []Need // the tables that the CPU reads, in the order in which they are built; other devices have separate ones
	app.Shape
}

// UniformTry returns the try of the word of a step if the samples are walks of uniform choices of a step program.
func (p Plan) UniformTry() (try uint64, uniform bool) {
	if a, ok := p.App.(app.UniformStepper); ok && p.Width > 0 && p.Driver == app.DriverHooked {
		return a.UniformTry()
	}
	return 0, false
}

// New binds the app to the graph and looks up its driver in apps.Specs. It builds the tables that Bind needs, and no others.
// It returns an error if the graph is invalid or does not suit the app, or if the app cannot grow from roots of this width.
func New(a app.App, g *graph.Graph, rootWidth int) (Plan, error) {
	if err := g.Validate(); err != nil {
		return Plan{}, err
	}
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		return Plan{}, err
	}
	bound, err := a.Bind(view)
	if err != nil {
		return Plan{}, err
	}
	return complete(Plan{App: bound, Graph: view}, a, g, rootWidth)
}

// Draft returns the plan of New without building a table. The plan can be explained and estimated, but cannot run. Graph is
// the caller's if the app samples from a view that has not been built.
func Draft(a app.App, g *graph.Graph, rootWidth int) (Plan, error) {
	if err := g.Validate(); err != nil {
		return Plan{}, err
	}
	bound, err := app.Draft(a, g)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{App: bound, Graph: g}
	if view := app.ViewNow(a, g); view != nil {
		p.Graph = view
	}
	return complete(p, a, g, rootWidth)
}

// complete sets the fields that follow from the app a and its bound form p.App.
func complete(p Plan, a app.App, g *graph.Graph, rootWidth int) (Plan, error) {
	row, ok := apps.Specs[a.Name()]
	if !ok {
		return Plan{}, refuse.Value("app = %s: no engine supports it", a.Name())
	}
	if rootWidth != 1 && row.Roots == app.OneRoot {
		return Plan{}, refuse.Value("roots: %s takes one root per sample, but roots has rows of %d: pass a 1-D array, such as roots.ravel()", a.Name(), rootWidth)
	}
	if rootWidth != 0 && row.Roots == app.NoRoots {
		return Plan{}, refuse.Value("roots: %s chooses its own vertices, but roots has rows of %d; pass the number of samples", a.Name(), rootWidth)
	}
	if rootWidth == 0 && row.Roots != app.NoRoots {
		return Plan{}, refuse.Value("roots: %s starts from roots, but roots has empty rows", a.Name())
	}
	p.Given = a
	p.Selector, p.Driver, p.Packed = p.App.Selector(), row.Driver, index.CanPack(g)
	p.Shape = app.ShapeOf(p.App, rootWidth)
	if c, ok := p.App.(app.Computing); ok && c.Computes() {
		p.Driver = app.DriverComputed
	}
	p.Tables = needs(p, a, g, rootWidth)
	return p, nil
}
