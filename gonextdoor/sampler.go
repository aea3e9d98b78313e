package gonextdoor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
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
// graph are checked, alias tables made, and what an app that is a Preparer asks for. It takes long on a large graph, and
// hands may be told to stop.
func Prepare(g *graph.Graph, a interface{ Weighs(*graph.Graph) bool }, hands graph.Options) error {
	if err := g.ValidateWith(hands); err != nil {
		return err
	}
	g, err := app.View(a, g, hands)
	if err != nil {
		return err
	}
	if a.Weighs(g) {
		if err := index.BuildAlias(g, hands); err != nil {
			return err
		}
	}
	if p, ok := a.(app.Preparer); ok {
		return p.Prepare(g, hands)
	}
	return nil
}

// New plans an app on a graph, for roots of so many vertices each.
func New(g *graph.Graph, a app.App, rootWidth int) (*Sampler, error) {
	p, err := plan.New(a, g, rootWidth)
	if err != nil {
		return nil, err
	}
	if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
		return nil, err
	}
	return &Sampler{p.Graph, p, cpu.Engine{}}, nil
}

// Matrix fills out with the batch's samples. Memory that is too short is a fault of the caller and refused.
func (s *Sampler) Matrix(b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := s.fits(b, out.Width, len(out.Vertices), out.Edges); err != nil {
		return err
	}
	if b.Roots.Samples() == 0 {
		return nil
	}
	p, fault, err := s.begin(b, j)
	if err != nil {
		return err
	}
	if err := s.Engine.Matrix(p, s.Graph, b, out, j); err != nil {
		return s.Graph.Blame(err)
	}
	return fault()
}

// begin gives the plan of one run, and what was wrong with it in the end: a file of the graph was changed, or a hook had a
// fault.
func (s *Sampler) begin(b plan.Batch, j *job.Job) (p plan.Plan, fault func() error, err error) {
	p = s.Plan
	w, ok := p.App.(app.Watched)
	if !ok {
		return p, s.Graph.Intact, nil
	}
	choices := b.Roots.Samples() * max(1, p.Width-b.Roots.Width) * plan.SetPays
	p.App, err = w.Begin(s.Graph, b.First, choices, graph.Options{Threads: b.Threads, Job: j})
	if err != nil {
		return p, nil, s.Graph.Blame(err)
	}
	return p, func() error {
		if err := s.Graph.Intact(); err != nil {
			return err
		}
		return p.App.(app.Watched).Fault()
	}, nil
}

// Ragged gives the batch's samples; the arrays are lent from offheap.Results.
func (s *Sampler) Ragged(b plan.Batch, j *job.Job) (output.Ragged, error) {
	if s.Plan.Width != 0 || s.Plan.Layered {
		return output.Ragged{}, refuse.Value("app = %s: its samples do not just differ in length", s.Plan.App.Name())
	}
	return lent(s, b, j, s.Engine.Ragged)
}

// Layers gives the batch's samples with their steps and links; the arrays are lent from offheap.Results.
func (s *Sampler) Layers(b plan.Batch, j *job.Job) (output.Layers, error) {
	if !s.Plan.Layered {
		return output.Layers{}, refuse.Value("app = %s: its samples are not layered", s.Plan.App.Name())
	}
	return lent(s, b, j, s.Engine.Layers)
}

// lent gives the result of a run, or nothing lent and the error or the fault that it had.
func lent[T interface{ Return() }](
	s *Sampler, b plan.Batch, j *job.Job, run func(plan.Plan, *graph.Graph, plan.Batch, *job.Job) (T, error),
) (T, error) {
	var none T
	p, fault, err := s.begin(b, j)
	if err != nil {
		return none, err
	}
	result, err := run(p, s.Graph, b, j)
	if err != nil {
		return none, s.Graph.Blame(err)
	}
	if err := fault(); err != nil {
		result.Return()
		return none, err
	}
	return result, nil
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
