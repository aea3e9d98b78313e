// Package gonextdoor samples large graphs: it plans an app on a graph and runs the plan on the CPU or on GPUs.
//
//	s, err := gonextdoor.New(g, &apps.DeepWalk{Length: 80}, 1)
//	err = s.Matrix(batch, out, nil)
//
// A Sampler is an app on a graph, planned for an engine. Matrix writes samples of one width to the caller's memory with
// 32-bit vertices, Int64 with 64-bit vertices. Ragged and Layers return samples that differ in length. OnDevice leaves them
// on a GPU, and CountVisits counts their vertices without storing them. The result depends only on the graph, the app, the
// roots and the seed.
//
// NewFor chooses GPUs explicitly, and DeviceFor estimates whether a GPU finishes before the CPU. Every kind of GPU is an
// engine.Backend, which device.go registers.
package gonextdoor

import (
	"errors"
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/matrix64"
	"gonextdoor/gonextdoor/engine/sharded"
	"gonextdoor/gonextdoor/engine/visits"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Sampler is an app on a graph, planned for an engine. It is safe for concurrent use.
type Sampler struct {
	Graph  *graph.Graph
	Plan   plan.Plan
	Engine engine.Engine
}

var _ visits.Source = (*Sampler)(nil)

// Prepare validates a graph and builds the tables that an app reads on the CPU (app.TablesOf), except those that exist. It
// can take seconds on a large graph; the job of options can cancel it. Call it before New to control threads and
// cancellation.
func Prepare(g *graph.Graph, a app.App, options graph.Options) error {
	if err := g.ValidateWith(options); err != nil {
		return err
	}
	if _, err := app.View(a, g, options); err != nil {
		return err
	}
	return plan.Prepare(a, g, options)
}

// New plans an app on a graph for the CPU. rootWidth is the number of roots per sample. It builds missing tables.
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

// Matrix writes the batch's samples to out, whose samples have one width. It returns an error if out does not have the
// batch's size.
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

// begin returns the plan of one run, and a function to call at its end. The function returns an error if a file of the graph
// has changed or a hook had a fault.
func (s *Sampler) begin(b plan.Batch, j *job.Job) (p plan.Plan, fault func() error, err error) {
	p = s.Plan
	if err := s.readsRoots(b.Roots); err != nil {
		return p, nil, err
	}
	if _, ok := s.Engine.(cpu.Engine); b.IDs != nil && (!ok || b.Roots.Repeat != 1) {
		return p, nil, refuse.Value("ids: expected samples on the CPU, one of each root")
	}
	if err := s.readsEdgeIDs(b); err != nil {
		return p, nil, err
	}
	if t, ok := p.App.(app.TemporalWalker); ok {
		if err := t.TimeLimits().CheckCount(b.Roots.Count); err != nil {
			return p, nil, err
		}
	}
	w, ok := p.App.(app.Faulting)
	if !ok {
		return p, s.Graph.Intact, nil
	}
	p.App, err = w.Begin(s.Graph, b.First, p.Work(index.EdgeSetTable, b.Roots.Samples()), graph.Options{Threads: b.Threads, Job: j})
	if err != nil {
		return p, nil, s.Graph.Blame(err)
	}
	return p, func() error {
		if err := s.Graph.Intact(); err != nil {
			return err
		}
		return p.App.(app.Faulting).Fault()
	}, nil
}

// readsRoots returns an error if the engine cannot read the roots. The memory of a device is read by that device alone, and
// every device draws random roots.
func (s *Sampler) readsRoots(r plan.Roots) error {
	_, one := s.Engine.(engine.Device)
	_, several := s.Engine.(sharded.Engine)
	if r.OnDevice != 0 && !one || r.OnDevices != nil && !several {
		return refuse.Value("roots: they are in the memory of a GPU; expected a sampler of that GPU")
	}
	if r.Drawn && !one && !several {
		return refuse.Value("roots: a GPU was to draw them; draw them by graph.DrawRoots for %s", s.Engine.Name())
	}
	return nil
}

// readsEdgeIDs returns an error if the results have ids of edges and the edges of the graph have none.
func (s *Sampler) readsEdgeIDs(b plan.Batch) error {
	if !s.Graph.NoEdgeIDs {
		return nil
	}
	if b.Edges {
		return s.Graph.RefuseEdgeIDs("edges = True")
	}
	if app.ShapeOf(s.Plan.App, b.Roots.Width).Records {
		return s.Graph.RefuseEdgeIDs(fmt.Sprintf("app = %s, which records the edges between vertices,", s.Plan.App.Name()))
	}
	return nil
}

// Int64 is Matrix with 64-bit vertices, -1 in a slot without a vertex. Edge ids are written to edges if the batch asks for
// them.
func (s *Sampler) Int64(b plan.Batch, vertices, edges []int64, j *job.Job) error {
	if err := s.fits(b, s.Plan.Width, len(vertices), edges); err != nil {
		return err
	}
	if b.Roots.Samples() == 0 || s.Plan.Width == 0 {
		return nil
	}
	p, fault, err := s.begin(b, j)
	if err != nil {
		return err
	}
	if err := matrix64.Fill(s.Engine, p, s.Graph, b, vertices, edges, fault, j); err != nil {
		return s.Graph.Blame(err)
	}
	return nil
}

// Ragged returns the batch's samples, which differ in length. The arrays are lent from offheap.Results; the caller frees them
// by Return.
func (s *Sampler) Ragged(b plan.Batch, j *job.Job) (output.Ragged, error) {
	if s.Plan.Width != 0 {
		return output.Ragged{}, refuse.Value("app = %s: its samples are not ragged rows of vertices", s.Plan.App.Name())
	}
	return lent(s, b, j, s.Engine.Ragged)
}

// Layers returns the batch's samples with their steps and links. The arrays are lent from offheap.Results; the caller frees
// them by Return.
func (s *Sampler) Layers(b plan.Batch, j *job.Job) (output.Layers, error) {
	if !s.Plan.Layered {
		return output.Layers{}, refuse.Value("app = %s: its samples are not layered", s.Plan.App.Name())
	}
	return lent(s, b, j, s.Engine.Layers)
}

// lent returns the result of a run, or its error or fault. Nothing stays lent after an error.
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

// OnDevices makes the batch's samples on the sampler's devices and leaves them in their memory, in the order of the rows: see
// sharded.Engine.Keep. size is the number of bytes per vertex, 4 or 8, with which they will be read. It usually returns
// before the samples are complete. The caller releases them. It returns nil if the memory of a device is too small; Matrix,
// Int64, Ragged and Layers then make the samples in pieces.
func (s *Sampler) OnDevices(b plan.Batch, size int, j *job.Job) ([]engine.DeviceSamples, error) {
	var devices sharded.Engine
	switch e := s.Engine.(type) {
	case sharded.Engine:
		devices = e
	case engine.Device:
		devices = sharded.Engine{e}
	default:
		return nil, refuse.Value("device: expected GPUs")
	}
	p, fault, err := s.begin(b, j)
	if err != nil {
		return nil, err
	}
	shards, err := devices.Keep(p, s.Graph, b, size, j)
	if err != nil {
		return nil, s.Graph.Blame(err)
	}
	if shards == nil {
		return nil, nil
	}
	if err := fault(); err != nil {
		return nil, errors.Join(err, sharded.Release(shards))
	}
	return shards, nil
}

// OnDevice is OnDevices for a sampler of one device.
func (s *Sampler) OnDevice(b plan.Batch, size int, j *job.Job) (engine.DeviceSamples, error) {
	shards, err := s.OnDevices(b, size, j)
	if len(shards) == 0 {
		return nil, err
	}
	return shards[0], nil
}

// CountVisits writes to counts how often each vertex occurs in the batch's samples. It writes the last vertex of each sample
// to ends, or graph.None if the sample has none. Either slice may be nil. The samples are never stored together.
func (s *Sampler) CountVisits(b plan.Batch, counts []int64, ends []uint32, j *job.Job) error {
	all := visits.NewCounts(counts, b.Threads)
	one := func(e engine.Engine, part plan.Batch, ends []uint32) error {
		alone := &Sampler{s.Graph, s.Plan, e}
		return visits.Counter{Source: alone, Plan: s.Plan, Graph: s.Graph, Engine: e}.Count(part, all, ends, j)
	}
	if several, ok := s.Engine.(sharded.Engine); ok {
		return all.Finish(several.CountVisits(b, ends, func(d engine.Device, part plan.Batch, ends []uint32) error {
			return one(d, part, ends)
		}), j)
	}
	return all.Finish(one(s.Engine, b, ends), j)
}

// fits returns an error if arrays do not have the batch's size.
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
