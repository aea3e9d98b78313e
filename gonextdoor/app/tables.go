package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Tabled is an app that reads tables of a graph on the CPU besides alias tables.
type Tabled interface {
	App
	// Tables returns the tables, which an engine builds before the first sample.
	Tables(g *graph.Graph) []*index.Table
}

// EdgeSetReader is an app whose choices may look up whether an edge exists.
type EdgeSetReader interface {
	// ReadsEdgeSet reports whether they do on the CPU. Then index.EdgeSetTable can pay.
	ReadsEdgeSet() bool
}

// TablesOf returns the tables of g that every call of an app reads on the CPU, in the order in which they are built. The app
// need not be bound.
func TablesOf(a App, g *graph.Graph) (tables []*index.Table) {
	alias := index.AliasTable
	if v, ok := a.(Viewer); ok && v.ViewsDegrees() {
		tables, alias = append(tables, index.DegreeBiasTable), index.DegreeAliasTable
	}
	if a.Weighs(g) {
		tables = append(tables, alias)
	}
	if t, ok := a.(Tabled); ok {
		tables = append(tables, t.Tables(g)...)
	}
	return tables
}

// Draft returns a as Bind returns it, but builds no tables. The result has the selector, shape and capabilities of the bound
// app, and must not sample. The errors are those of View and Bind.
func Draft(a App, g *graph.Graph) (App, error) {
	if d, ok := a.(drafter); ok {
		return d.draft(g)
	}
	return a.Bind(g)
}

// drafter is an app whose View or Bind builds tables.
type drafter interface {
	draft(g *graph.Graph) (App, error)
}

func (a *Walk) draft(g *graph.Graph) (App, error) {
	if err := a.Bias.check(g); err != nil || a.ViewsDegrees() {
		return a.walk(), err
	}
	return a.Bind(g)
}

func (a *Neighbor) draft(g *graph.Graph) (App, error) {
	if err := a.Bias.check(g); err != nil || a.FrontierSize > 0 {
		return a, err
	}
	return a.tree(), nil
}

func (a *FastGCN) draft(*graph.Graph) (App, error) { return a, nil }

func (a *GraphSAINT) draft(*graph.Graph) (App, error) { return a, nil }

func (a *Layer) draft(g *graph.Graph) (App, error) { return a, a.Bias.check(g) }

func (a *Custom) draft(g *graph.Graph) (App, error) {
	if err := a.checkTimes(g); err != nil {
		return nil, err
	}
	bound := a.with(nil)
	var err error
	bound.Weighted, err = bound.boundWeights(g)
	return bound, err
}
