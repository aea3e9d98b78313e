package gonextdoor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Sampler is an app on a graph, planned.
type Sampler struct {
	Graph  *graph.Graph
	Plan   plan.Plan
	Engine engine.Engine
}

// Prepare makes what an app needs of a graph before it can be planned, if it is not there yet: the arrays of a mapped
// graph are checked, alias tables made. It takes long on a large graph, and hands may be told to stop.
func Prepare(g *graph.Graph, a interface{ Weighs(*graph.Graph) bool }, hands graph.Hands) error {
	if err := g.ValidateBy(hands); err != nil {
		return err
	}
	if a.Weighs(g) {
		return g.MakeAliasBy(hands)
	}
	return nil
}

// New plans an app on a graph, for roots of so many vertices each.
func New(g *graph.Graph, a app.App, rootWidth int) (*Sampler, error) {
	p, err := plan.New(a, g, rootWidth)
	if err != nil {
		return nil, err
	}
	return &Sampler{g, p, cpu.Engine{}}, nil
}

// Matrix fills out with the batch's samples. Memory that is too short is a fault of the caller and refused.
func (s *Sampler) Matrix(b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := s.fits(b, out.Width, len(out.Vertices), out.Edges); err != nil {
		return err
	}
	if b.Roots.Samples() == 0 {
		return nil
	}
	return s.Engine.Matrix(s.Plan, s.Graph, b, out, j)
}

// Ragged gives the batch's samples; the arrays are lent from offheap.Results.
func (s *Sampler) Ragged(b plan.Batch, j *job.Job) (output.Ragged, error) {
	if s.Plan.Width != 0 || s.Plan.Layered {
		return output.Ragged{}, refuse.Value("app = %s: its samples do not just differ in length", s.Plan.App.Name())
	}
	return s.Engine.Ragged(s.Plan, s.Graph, b, j)
}

// Layers gives the batch's samples with their steps and links; the arrays are lent from offheap.Results.
func (s *Sampler) Layers(b plan.Batch, j *job.Job) (output.Layers, error) {
	if !s.Plan.Layered {
		return output.Layers{}, refuse.Value("app = %s: its samples are not layered", s.Plan.App.Name())
	}
	return s.Engine.Layers(s.Plan, s.Graph, b, j)
}

// fits refuses arrays that do not have the batch's size.
func (s *Sampler) fits(b plan.Batch, width, vertices int, edges []int64) error {
	rows := b.Roots.Samples()
	switch {
	case s.Plan.Width == 0:
		return refuse.Value("app = %s: its samples differ in length", s.Plan.App.Name())
	case width != s.Plan.Width:
		return refuse.Value("width = %d: expected %d", width, s.Plan.Width)
	case vertices != rows*width:
		return refuse.Value("memory for %d vertices: expected %d x %d", vertices, rows, width)
	case b.Edges && len(edges) != rows*(width-b.Roots.Width):
		return refuse.Value("memory for %d edges: expected %d x %d", len(edges), rows, width-b.Roots.Width)
	}
	return nil
}
