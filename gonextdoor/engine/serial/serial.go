// Package serial is the reference engine: the apps' serial definitions, row by row. It is what every other engine's
// results are compared with, and is in no hurry.
package serial

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Engine calls App.Sample for each row.
type Engine struct{}

// Name is "serial".
func (Engine) Name() string { return "serial" }

// Matrix runs an app whose samples have one width, into out.
func (Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	return each(p, g, b, j, func(i int, row app.Row) {
		copy(out.Vertices[i*out.Width:][:out.Width], row.Vertices)
		if b.Edges {
			for k, position := range row.Edges {
				out.Edges[i*len(row.Edges)+k] = edgeID(g, position)
			}
		}
	})
}

// Ragged runs an app whose samples differ in length.
func (Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	offsets := []int64{0}
	var vertices []uint32
	var edges []int64
	err := each(p, g, b, j, func(_ int, row app.Row) {
		vertices = append(vertices, row.Vertices...)
		offsets = append(offsets, int64(len(vertices)))
		for range len(row.Vertices) - len(row.Edges) {
			edges = append(edges, -1)
		}
		for _, position := range row.Edges {
			edges = append(edges, edgeID(g, position))
		}
	})
	if err != nil {
		return output.Ragged{}, err
	}
	r, err := output.LendRagged(len(offsets)-1, len(vertices), b.Edges)
	if err != nil {
		return r, err
	}
	copy(r.Offsets, offsets)
	copy(r.Vertices, vertices)
	copy(r.Edges, edges)
	return r, nil
}

// each calls f with every row in order. Anything that a row's code panics with comes out as an error.
func each(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job, f func(i int, row app.Row)) error {
	stream := rng.NewStream(b.Seed, rng.Choices)
	var row app.Row
	scratch := make([]uint32, 1)
	return parallel.For(j, 1, b.Roots.Samples(), plan.Group, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			key := stream.Key(b.First + uint64(i))
			row = p.App.Sample(g, key, b.Roots.Of(i, scratch), app.Row{Vertices: row.Vertices[:0], Edges: row.Edges[:0]})
			f(i, row)
		}
		j.Add(int64(hi - lo))
		return nil
	})
}

// edgeID is the id of the edge at a position as results have it: -1 where there is none.
func edgeID(g *graph.Graph, position uint64) int64 {
	if position == graph.NoEdge {
		return -1
	}
	return int64(g.EdgeID(position))
}
