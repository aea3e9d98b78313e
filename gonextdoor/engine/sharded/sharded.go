// Package sharded runs a batch on several engines concurrently, each on a range of the rows. The samples equal those of one
// engine.
//
// It is not under internal/ so that programs that build engines themselves can combine them.
package sharded

import (
	"strings"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// Engine is a list of engines. Engine i of n runs the rows [rows*i/n, rows*(i+1)/n).
type Engine []engine.Engine

var _ engine.Engine = Engine{}

// Name returns the names of the engines, separated by commas.
func (e Engine) Name() string {
	var names []string
	for _, one := range e {
		names = append(names, one.Name())
	}
	return strings.Join(names, ",")
}

// Matrix lets each engine write its rows of out.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	return e.each(b, func(i int, part plan.Batch, lo, hi int) error {
		rows := output.Matrix{Vertices: out.Vertices[lo*out.Width : hi*out.Width], Width: out.Width, Roots: out.Roots}
		if choices := out.Width - out.Roots; out.Edges != nil {
			rows.Edges = out.Edges[lo*choices : hi*choices]
		}
		return e[i].Matrix(p, g, part, rows, j)
	})
}

// Ragged concatenates the engines' results.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (all output.Ragged, err error) {
	parts := make([]output.Ragged, len(e))
	err = e.each(b, func(i int, part plan.Batch, _, _ int) (err error) {
		parts[i], err = e[i].Ragged(p, g, part, j)
		return err
	})
	if err != nil {
		for _, part := range parts {
			part.Return()
		}
		return all, err
	}
	return output.Join(parts, b.Edges)
}

// Layers concatenates the engines' results.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (all output.Layers, err error) {
	parts := make([]output.Layers, len(e))
	err = e.each(b, func(i int, part plan.Batch, _, _ int) (err error) {
		parts[i], err = e[i].Layers(p, g, part, j)
		return err
	})
	if err != nil {
		for _, part := range parts {
			part.Return()
		}
		return all, err
	}
	return output.JoinLayers(parts, b.Edges, p.Records)
}

// each calls f for every engine, concurrently, with the engine's rows [lo, hi) of the batch. It returns one of the errors.
// Engines without rows are skipped.
func (e Engine) each(b plan.Batch, f func(i int, part plan.Batch, lo, hi int) error) error {
	rows := b.Roots.Samples()
	return parallel.For(nil, len(e), len(e), 1, func(i, _ int) error {
		lo, hi := rows*i/len(e), rows*(i+1)/len(e)
		if lo == hi {
			return nil
		}
		return f(i, b.Slice(lo, hi), lo, hi)
	})
}
