package gonextdoor

import (
	"strings"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// shared is an engine of several, each of which makes its share of the rows. By the law that does not show.
type shared []engine.Engine

// Name is the names of all.
func (e shared) Name() string {
	var names []string
	for _, one := range e {
		names = append(names, one.Name())
	}
	return strings.Join(names, ",")
}

// Matrix gives each engine rows one behind the other.
func (e shared) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	return e.parts(b, func(i int, part plan.Batch, lo, hi int) error {
		rows := output.Matrix{Vertices: out.Vertices[lo*out.Width : hi*out.Width], Width: out.Width, Roots: out.Roots}
		if behind := out.Width - out.Roots; out.Edges != nil {
			rows.Edges = out.Edges[lo*behind : hi*behind]
		}
		return e[i].Matrix(p, g, part, rows, j)
	})
}

// Ragged joins what the engines make.
func (e shared) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (all output.Ragged, err error) {
	parts := make([]output.Ragged, len(e))
	err = e.parts(b, func(i int, part plan.Batch, _, _ int) (err error) {
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

// Layers is the first engine's: GPUs refuse it.
func (e shared) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return e[0].Layers(p, g, b, j)
}

// parts calls f for each engine at once with its part of the batch, the rows [lo, hi), and gives an error of one.
func (e shared) parts(b plan.Batch, f func(i int, part plan.Batch, lo, hi int) error) error {
	rows := b.Roots.Samples()
	return parallel.For(nil, len(e), len(e), 1, func(i, _ int) error {
		lo, hi := rows*i/len(e), rows*(i+1)/len(e)
		if lo == hi {
			return nil
		}
		part := b
		part.Roots = rootsOf(b.Roots, lo, hi, make([]uint32, (hi-lo)*b.Roots.Width))
		part.First += uint64(lo)
		return f(i, part, lo, hi)
	})
}
