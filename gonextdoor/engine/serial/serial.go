// Package serial is the reference engine: the apps' serial definitions, row by row. It is what every other engine's
// results are compared with, and is in no hurry.
package serial

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Engine calls App.Sample for each row.
type Engine struct{}

// Name is "serial".
func (Engine) Name() string { return "serial" }

// Matrix runs an app whose samples have one width, into out.
func (Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return err
	}
	return run(p, g, b, j).Matrix(out)
}

// Ragged runs an app whose samples differ in length.
func (Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return output.Ragged{}, err
	}
	return run(p, g, b, j).Ragged()
}

// Layers runs an app whose samples are layered.
func (Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if err := p.BuildTables(g, graph.Options{Job: j}); err != nil {
		return output.Layers{}, err
	}
	return run(p, g, b, j).Layers(p.Records)
}

func run(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) whole.Run {
	return whole.Run{Graph: g, Batch: b, Job: j, Threads: 1, Chunk: plan.Group, Grow: func() (whole.Grow, error) {
		return func(key rng.Key, roots []uint32, row app.Row) app.Row {
			return p.App.Sample(g, key, roots, row)
		}, nil
	}}
}
