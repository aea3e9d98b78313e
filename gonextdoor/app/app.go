// Package app holds the sampling algorithms. Each is one small file with the serial definition that every engine must
// equal, and one row of the table of Specs.
//
// The package is public API: Go programs make apps of it, and define their own as a Custom.
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
	// the position of the edge that led there. Missing vertices are graph.None, missing edges graph.NoEdge. row.ID is the
	// sample's id.
	Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row
}

// Layered is an app whose samples grow by steps of different sizes, or record edges: Width is 0, and Sample fills all
// of Row.
type Layered interface {
	App
	// Layered says whether samples of so many roots are; where not, the app is one of the other two kinds.
	Layered(roots int) bool
	// Records says whether samples have links.
	Records() bool
}

// Stepped is an app whose step is a StepProgram. The driver DriverHooked runs any such app.
type Stepped interface {
	App
	// Program returns the StepProgram that Sample delegates to. It is called once per run, on the bound app.
	Program() *StepProgram
}

// Faulting is an app with user hooks, which can have faults.
type Faulting interface {
	App
	// Begin returns the bound app for one run, whose first sample has the id first. work is what the run announces to
	// index.EdgeSetOf.
	Begin(g *graph.Graph, first uint64, work int, options graph.Options) (App, error)
	// Fault is the lowest fault of the run, or nil.
	Fault() error
}

// Row is one whole sample.
type Row struct {
	ID       uint64 // the sample's; the caller sets it
	Vertices []uint32
	Edges    []uint64 // of the vertices behind the roots

	// Of layered samples alone. Places count from the row's first vertex.
	Ends    []int32 // where each step ends in Vertices, the roots counting as a step before the first
	Parents []int32 // of the vertices behind the roots: the place that each was reached from, or -1
	Links   []Link  // recorded edges

	// Watch is asked now and then while a large sample grows; nil: nobody watches. What is left of a sample when it has an
	// error is thrown away.
	Watch interface{ Err() error }
}

// Stopped says whether whoever waits for the sample wants it no more.
func (r *Row) Stopped() bool { return r.Watch != nil && r.Watch.Err() != nil }

// Link is an edge between two vertices of a sample.
type Link struct {
	Source, Target int32   // places
	Position       uint64  // of the edge, or graph.NoEdge where the graph has none: a normalisation's self-loop
	Value          float64 // what the app gives it: 1, or a normalised weight. No choice depends on it
}

// Add appends a vertex and the position of the edge that led to it.
func (r Row) Add(v uint32, position uint64) Row {
	r.Vertices, r.Edges = append(r.Vertices, v), append(r.Edges, position)
	return r
}

// Reset empties the row for the sample of an id, and keeps its memory.
func (r Row) Reset(id uint64) Row {
	return Row{id, r.Vertices[:0], r.Edges[:0], r.Ends[:0], r.Parents[:0], r.Links[:0], r.Watch}
}
