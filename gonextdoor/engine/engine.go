// Package engine declares what runs plans: Engine for every engine, Backend and Device for devices beside the CPU. An
// engine returns exactly what the apps' serial definitions return, whatever it runs on.
package engine

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine runs plans. It is safe for concurrent use.
type Engine interface {
	// Name returns "serial", "cpu" or the kind of device.
	Name() string
	// Matrix runs an app whose samples have one width and writes them to out. It adds finished samples to the job's count.
	Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error
	// Ragged runs an app whose samples differ in length. It adds finished samples to the job's count.
	Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error)
	// Layers runs an app whose samples are layered. It adds finished samples to the job's count.
	Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error)
}

// Sweeper is an engine that reads all of the graph in each call, for some plans: few calls with many rows are then faster
// than many calls.
type Sweeper interface {
	Engine
	// Sweeps reports whether a call of Matrix reads all of the graph.
	Sweeps(p plan.Plan, g *graph.Graph, b plan.Batch) bool
}

// Hosted is an engine of devices for which the CPU makes the samples of some batches.
type Hosted interface {
	// FromHost reports whether the CPU is expected to make samples of a batch, which then reads roots in host memory. Of the roots
	// it depends on their number alone.
	FromHost(p plan.Plan, b plan.Batch) bool
}
