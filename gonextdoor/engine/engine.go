// Package engine names what every engine does. An engine returns exactly what the apps' serial definitions return.
package engine

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine runs plans.
type Engine interface {
	// Name is "serial" or the device's name.
	Name() string
	// Matrix runs an app whose samples have one width, into out. It counts samples on the job.
	Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error
	// Ragged runs an app whose samples differ in length. It counts samples on the job.
	Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error)
	// Layers runs an app whose samples are layered. It counts samples on the job.
	Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error)
}
