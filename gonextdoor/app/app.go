// Package app holds the sampling algorithms: one small file each, with the serial definition that every engine equals.
package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// App says how a sample grows from its roots. Values are made by Parse or directly, and are checked by Check.
type App interface {
	// Name is the app's name in the public face, as "DeepWalk".
	Name() string
	// Check refuses parameters that are out of range, naming them.
	Check() error
	// Weighs says whether its choices on g follow the weights, by way of alias tables.
	Weighs(g *graph.Graph) bool
	// Bind gives the app as it runs on a graph: "auto" is decided. It refuses a graph that lacks what the app needs.
	Bind(g *graph.Graph) (App, error)
	// Selector names the selector of its choices, which is part of its meaning.
	Selector() string
	// Width gives the vertices of a whole sample with so many roots, roots included, or 0 where samples differ in length.
	Width(roots int) int
	// Sample is the serial definition: it appends the sample's vertices, roots first, and for each vertex behind the roots
	// the position of the edge that led there. Missing vertices are graph.None, missing edges graph.NoEdge.
	Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row
}

// Row is one whole sample.
type Row struct {
	Vertices []uint32
	Edges    []uint64 // of the vertices behind the roots
}

// Add appends a vertex and the position of the edge that led to it.
func (r Row) Add(v uint32, position uint64) Row {
	return Row{append(r.Vertices, v), append(r.Edges, position)}
}
