package enginetest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// sample is one row of a result.
type sample struct {
	vertices []uint32
	edges    []int64
	// fields of layered samples only
	ends, parents []int32
	links         []link
}

// link is a recorded edge, with its id.
type link struct {
	source, target int32
	edge           int64
	value          float64
}

// The values of cells that no engine has written, and of some cells after the last.
const (
	unwritten     = 0xABCDEF01
	unwrittenEdge = -0x1234567
	fence         = 67
)

// run draws a batch and returns its rows.
func run(e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]sample, error) {
	switch {
	case p.Layered:
		return runLayers(e, p, g, b, j)
	case p.Width == 0:
		return runRagged(e, p, g, b, j)
	}
	n, width, roots := b.Roots.Samples(), p.Width, b.Roots.Width
	vertices := slices.Repeat([]uint32{unwritten}, n*width+fence)
	edges := slices.Repeat([]int64{unwrittenEdge}, n*(width-roots)+fence)
	out := output.Matrix{Vertices: vertices[: n*width : n*width], Width: width, Roots: roots}
	if b.Edges {
		out.Edges = edges[: n*(width-roots) : n*(width-roots)]
	}
	if err := e.Matrix(p, g, b, out, j); err != nil {
		return nil, err
	}
	for i := range fence {
		if vertices[n*width+i] != unwritten || edges[len(edges)-fence+i] != unwrittenEdge {
			return nil, fmt.Errorf("element %d after the end of the result was written", i)
		}
	}
	rows := make([]sample, n)
	for i := range rows {
		rows[i].vertices = vertices[i*width:][:width]
		if b.Edges {
			rows[i].edges = edges[i*(width-roots):][:width-roots]
		}
	}
	return rows, nil
}

func runRagged(e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]sample, error) {
	r, err := e.Ragged(p, g, b, j)
	if err != nil {
		return nil, err
	}
	defer r.Return()
	return samplesOf(r, b)
}

// samplesOf reads a ragged result.
func samplesOf(r output.Ragged, b plan.Batch) ([]sample, error) {
	n := b.Roots.Samples()
	switch {
	case len(r.Offsets) != n+1 || r.Offsets[0] != 0 || int(r.Offsets[n]) != len(r.Vertices):
		return nil, fmt.Errorf("%d offsets for %d rows of %d vertices in all", len(r.Offsets), n, len(r.Vertices))
	case b.Edges && len(r.Edges) != len(r.Vertices):
		return nil, fmt.Errorf("%d edges for %d vertices", len(r.Edges), len(r.Vertices))
	case !b.Edges && r.Edges != nil:
		return nil, fmt.Errorf("%d edges, and none were wanted", len(r.Edges))
	}
	rows := make([]sample, n)
	for i := range rows {
		lo, hi := r.Offsets[i], r.Offsets[i+1]
		rows[i].vertices = slices.Clone(r.Vertices[lo:hi])
		if b.Edges {
			rows[i].edges = slices.Clone(r.Edges[lo:hi])
		}
	}
	return rows, nil
}
