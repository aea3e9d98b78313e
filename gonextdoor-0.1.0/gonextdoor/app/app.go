// Package app defines what an app is: a sampling algorithm with a serial definition, which every engine must reproduce choice
// by choice, and capabilities, by which engines run it without knowing its type. The apps are in package apps; package
// program has those that are made of hooks.
package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// App defines how a sample grows from its roots. Values are returned by Parse or constructed directly. After Bind they are
// not changed, and threads may share them.
type App interface {
	// Name returns the name of the app in the public API, such as "DeepWalk".
	Name() string
	// Check returns an error that names the first parameter that is out of range.
	Check() error
	// Weighs reports whether the choices on g follow the weights by alias tables.
	Weighs(g *graph.Graph) bool
	// Bind returns the app as it runs on g, with "auto" resolved. It returns an error if g lacks what the app needs.
	Bind(g *graph.Graph) (App, error)
	// Selector names the selector of the choices, which is part of the reproducibility contract.
	Selector() string
	// Width returns the number of vertices of a whole sample that grows from the given number of roots, roots included. It
	// is 0 if samples differ in length.
	Width(roots int) int
	// Sample is the serial definition. It appends the vertices of the sample to row, roots first, and for each vertex after
	// the roots the position of the edge that led to it. A missing vertex is graph.None, a missing edge graph.NoEdge. The
	// caller sets row.ID. The app must be bound to g.
	Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row
}

// Layered is an app whose samples may have steps of different sizes, or record edges. Width is 0 then, and Sample fills all
// fields of Row.
type Layered interface {
	App
	// Layered reports whether samples of the given number of roots are layered.
	Layered(roots int) bool
	// Records reports whether samples have links.
	Records() bool
}

// Faulting is an app with hooks of a user, which can fail.
type Faulting interface {
	App
	// Begin returns the bound app for one run, whose first sample has the id first. work is the number of look-ups that the
	// run announces to index.EdgeSetOf.
	Begin(g *graph.Graph, first uint64, work int, options graph.Options) (App, error)
	// Fault returns the first fault of the run in the order of samples and steps, or nil.
	Fault() error
}
