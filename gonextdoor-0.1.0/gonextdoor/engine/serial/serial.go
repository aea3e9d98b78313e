// Package serial is the reference engine: it runs the serial definition of each app, one sample at a time on one thread.
// Tests compare the results of all other engines with it. It is not optimized.
package serial

import (
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine calls App.Sample for each sample.
type Engine struct{}

// Name is "serial".
func (Engine) Name() string { return "serial" }

// Matrix writes the samples of an app of one width to out.
func (Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return err
	}
	return run(p, g, b, j).Matrix(out)
}

// Ragged returns the samples of an app whose samples differ in length, lent from offheap.Results.
func (Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return output.Ragged{}, err
	}
	return run(p, g, b, j).Ragged()
}

// Layers returns the samples of an app whose samples are layered, lent from offheap.Results.
func (Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return output.Layers{}, err
	}
	return run(p, g, b, j).Layers(p.Records)
}

// run returns the run of a batch by its definition, on one thread.
func run(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) persample.Run {
	return persample.Run{Graph: g, Batch: b, Job: j, Threads: 1, Chunk: plan.Group, Grow: persample.Definition(p.App, g)}
}
