// Package app defines the sampling algorithms, called apps. An app is one file with its serial definition, which every
// engine must reproduce choice by choice, and one row of the table in table.go.
//
// The parameters of an app are the fields of its struct. Their default is the zero value; Check returns an error if that is
// out of range. The Python package sets other defaults.
//
// The package is public API: Go programs construct its apps, and define further ones as a Custom.
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

// Stepped is an app that a StepProgram defines. The driver DriverHooked runs any such app.
type Stepped interface {
	App
	// Program returns the StepProgram that Sample delegates to. It is called once per run, on the bound app.
	Program() *StepProgram
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

// Row is one sample. The place of a vertex is its index in Vertices.
type Row struct {
	ID       uint64 // of the sample; the caller sets it
	Vertices []uint32
	Edges    []uint64 // positions of the edges that led to the vertices after the roots

	// Fields of layered samples only.
	Ends    []int32 // the end of each step in Vertices; the roots count as a step before the first
	Parents []int32 // for each vertex after the roots: the place from which it was reached, or -1
	Links   []Link  // recorded edges

	// Watch cancels a sample: its growth ends soon after Err returns an error, and the incomplete sample is discarded. If it
	// is nil, the sample cannot be cancelled.
	Watch interface{ Err() error }
}

// Stopped reports whether the sample has been cancelled. Long loops call it every few thousand choices.
func (r *Row) Stopped() bool { return r.Watch != nil && r.Watch.Err() != nil }

// Link is an edge between two vertices of a sample.
type Link struct {
	Source, Target int32   // places
	Position       uint64  // of the edge, or graph.NoEdge for a self-loop that normalisation adds
	Value          float64 // 1, or a normalised weight; no choice depends on it
}

// Add appends a vertex and the position of the edge that led to it. It may move the arrays, as append does.
func (r Row) Add(v uint32, position uint64) Row {
	r.Vertices, r.Edges = append(r.Vertices, v), append(r.Edges, position)
	return r
}

// Reset returns an empty row for the sample with an id. It reuses the memory of r.
func (r Row) Reset(id uint64) Row {
	return Row{id, r.Vertices[:0], r.Edges[:0], r.Ends[:0], r.Parents[:0], r.Links[:0], r.Watch}
}
