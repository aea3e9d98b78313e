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
		return d.Draft(g)
	}
	return a.Bind(g)
}

// drafter is an app whose View or Bind builds tables.
type drafter interface {
	Draft(g *graph.Graph) (App, error)
}
