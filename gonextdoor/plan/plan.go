// Package plan decides how an app runs on a graph, and what that is expected to cost. A plan is plain data and never
// changes a result.
//
// It is not internal although few programs need it: plan.Batch and plan.Roots are parameters of the public Sampler.
package plan

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Plan is all that an engine needs to know beside the graph.
type Plan struct {
	App      app.App      // bound to the graph
	Graph    *graph.Graph // that the app chooses on: the caller's, or a view of it
	Selector string
	Driver   app.Driver
	Packed   bool // by the packed vertex records; by Indptr otherwise
	app.Shape
}

// BuildTables builds the tables of g that an engine on the CPU reads for the plan, unless they exist: alias tables, if
// choices follow the weights by them. Engines on other devices build theirs there.
func (p Plan) BuildTables(g *graph.Graph, o graph.Options) error {
	if !p.App.Weighs(g) {
		return nil
	}
	return index.BuildAlias(g, o)
}

// New binds the app to the graph and looks its driver up in the table.
func New(a app.App, g *graph.Graph, rootWidth int) (Plan, error) {
	if err := g.Validate(); err != nil {
		return Plan{}, err
	}
	g, err := app.View(a, g, graph.Options{})
	if err != nil {
		return Plan{}, err
	}
	bound, err := a.Bind(g)
	if err != nil {
		return Plan{}, err
	}
	row, ok := app.Specs[a.Name()]
	if !ok {
		return Plan{}, refuse.Value("app = %s: no driver runs it", a.Name())
	}
	if rootWidth != 1 && row.Roots == app.OneRoot {
		return Plan{}, refuse.Value("roots: %s grows from one root, but rows of %d were given: pass roots.ravel(), one root per sample", a.Name(), rootWidth)
	}
	if rootWidth != 0 && row.Roots == app.NoRoots {
		return Plan{}, refuse.Value("roots: %s chooses its own vertices, but rows of %d were given", a.Name(), rootWidth)
	}
	if rootWidth == 0 && row.Roots != app.NoRoots {
		return Plan{}, refuse.Value("roots: %s grows from roots, but rows of none were given", a.Name())
	}
	p := Plan{
		App: bound, Graph: g, Selector: bound.Selector(), Driver: row.Driver, Packed: index.CanPack(g),
		Shape: app.ShapeOf(bound, rootWidth),
	}
	if c, ok := bound.(app.Computing); ok && c.Computes() {
		p.Driver = app.DriverComputed
	}
	return p, nil
}
