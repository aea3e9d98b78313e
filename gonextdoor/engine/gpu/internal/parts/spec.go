// Package parts runs plans on graphs that do not fit into the memory of one GPU: parts of the graph are copied to slots in turn
// (Spec), rows are copied when samples read them (Gathers), or several GPUs make the steps of walks together (Exchange).
package parts

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Spec says how a plan runs on a graph of which GPU memory has some parts at a time.
type Spec struct {
	Kernel  string          // the name of the kernel that advances walkers, without its prefix
	Layout  resident.Layout // of the parts, see partArraysOf
	Words   int             // the state of a walker, in units of 4 bytes: 2, 4 or 8
	second  bool            // choices read rows of other vertices too, and the host makes some of the samples
	Degrees bool            // the degrees of all vertices are in GPU memory, beside the parts
	Pool    bool            // a sample has a pool of vertices, one of which moves at each step
	Walkers int             // of a sample, for estimates; 0: one

	// Samples makes all samples of one width, and copies all parts `sweeps` times; nil: walkers advance by the kernel.
	Samples func(r *launch.Run) error
	Sweeps  int
}

// SpecOf returns the Spec of a walk that advances by the kernel of that name.
func SpecOf(name string, a app.StaticWeights) *Spec {
	switch a.Weights() {
	case app.Yes:
		return &Spec{Kernel: name + "_alias", Layout: resident.Alias, Words: 2}
	case app.Computed:
		return &Spec{Kernel: name + "_search", Layout: resident.Rows | resident.Biases | resident.Segments, Words: 2}
	}
	return &Spec{Kernel: name + "_uniform", Layout: resident.Rows, Words: 2}
}

// SecondOrder returns the Spec of a walk of second order. Walks that exclude edges back read no row but that of the
// vertex.
func SecondOrder(a app.SecondOrderer) *Spec {
	weighted := a.Weights() == app.Yes
	_, outliers := a.Outliers()
	var s *Spec
	switch {
	case a.SecondOrder().Back == 0:
		s = SpecOf("nonbacktracking", a)
		s.Words = 4
		if weighted {
			s.Layout |= resident.Biases // for the scan of a row after all tries were rejected
		}
	case outliers.Back == 0:
		s = SpecOf("node2vec", a)
		s.Words, s.second = 4, true
	default:
		s = SpecOf("node2vecoutliers", a)
		s.Words, s.second = 8, true
		if s.Layout |= resident.ParallelEdges; weighted {
			s.Layout ^= resident.ParallelEdges | resident.Reach | resident.Biases
		}
	}
	s.Layout |= resident.Rows
	return s
}

// enters returns the name of the kernel that places the walkers, without its prefix.
func (s *Spec) enters() string {
	if s.Pool {
		return "pools"
	}
	return "enter"
}

// InParts reports whether a run copies the graph part by part.
func InParts(e launch.Engine, spec launch.Spec, g *graph.Graph, edges bool) bool {
	_, parts := spec.Beyond.(*Spec)
	return parts && launch.Exceeds(e, spec, g, edges)
}

// partsOf returns the Spec of a run that copies the graph part by part.
func partsOf(r *launch.Run) *Spec { return r.Spec.Beyond.(*Spec) }

// beginParts prepares the run to copy the graph part by part. It builds the tables of the host that parts are taken from.
func beginParts(r *launch.Run) error {
	s := partsOf(r)
	g := kernels.Graph{Vertices: uint64(r.Graph.NumVertices()), Edges: uint64(r.Graph.NumEdges())}
	if r.Batch.Edges {
		switch {
		case r.Graph.EdgeIDs != nil:
			g.IDSize = 4
		case r.Graph.EdgeIDs64 != nil:
			g.IDSize = 8
		}
	}
	r.Args.G = g
	if err := buildPartTables(r); err != nil {
		return err
	}
	r.Spec.Interleaved = false
	if s.Samples != nil {
		r.Calls.Samples = s.Samples
		return leaveRoom(r)
	}
	r.Calls.Launch = walkParts
	r.Calls.Samples = func(r *launch.Run) error {
		a := r.Args
		a.T.End = uint64((r.Plan.Width - r.Batch.Roots.Width) / r.Walkers())
		return walkParts(r, &a)
	}
	return nil
}

// buildPartTables builds the tables that parts are taken from, and uploads those that are not cut.
func buildPartTables(r *launch.Run) error {
	s, g := partsOf(r), &r.Args.G
	if s.Layout&resident.Alias != 0 {
		if err := index.BuildAlias(r.Graph, r.Options()); err != nil {
			return err
		}
	}
	if s.Layout&resident.ByLabel != 0 {
		if err := buildLabelParts(r); err != nil {
			return err
		}
	}
	if s.Layout&(resident.Reach|resident.ParallelEdges) != 0 {
		if _, err := index.ReachOf(r.Graph, s.Layout&resident.Reach != 0, r.Options()); err != nil {
			return err
		}
	}
	if s.Layout&resident.Segments != 0 {
		if _, err := index.SegmentsOf(r.Graph, r.Options()); err != nil {
			return err
		}
	}
	if s.second {
		symmetric, err := index.Symmetric(r.Graph, r.Options())
		if err != nil {
			return err
		}
		if symmetric {
			g.Mirrored = 1
		}
	}
	if s.Degrees {
		degrees, err := index.DegreesOf(r.Graph, r.Options())
		if err != nil {
			return err
		}
		at, err := r.HoldTable(resident.TableOf(index.DegreesTable, index.DegreesTable.Name), resident.ArrayOf(degrees))
		if err != nil {
			return err
		}
		g.Biased = at[0] // the degrees take the place of those with a positive bias
	}
	return nil
}

// Choose is beginParts for a run that stores its samples.
func (*Spec) Choose(r *launch.Run) error {
	if err := beginParts(r); err != nil {
		return err
	}
	return leaveRoom(r)
}

// leaveRoom returns an error that wraps cuda.ErrMemory if a result of one width would leave too little memory to the parts.
// The caller then makes fewer rows at a time.
func leaveRoom(r *launch.Run) error {
	limit, free, err := resident.Budget(r.Device)
	if err != nil || r.Plan.Width == 0 || r.Engine.Tuning.Parts > 0 {
		return err
	}
	each := 4*int64(r.Plan.Width) + partState(r)
	if partsOf(r).Pool {
		each += 8 * int64(r.Batch.Roots.Width)
	}
	if r.Batch.Edges {
		each += 8 * int64(r.Plan.Width-r.Batch.Roots.Width)
	}
	if bytes := each * int64(r.Rows); bytes > free-min(limit, free/2) && r.Rows > 1 {
		return refuse.Device("%w: %s are needed for %d samples, beside the parts of a graph that does not fit: sample fewer at a time, or use device=\"cpu\"",
			cuda.ErrMemory, cuda.Size(bytes), r.Rows)
	}
	return nil
}

// cutParts cuts the graph into parts for the memory that is free now.
func cutParts(r *launch.Run) (*cut, error) {
	c := &cut{graph: r.Graph, arrays: partArraysOf(r.Graph, partsOf(r).Layout, int(r.Args.G.LabelKinds), r.Batch.Edges)}
	limit, free, err := resident.Budget(r.Device)
	if err != nil {
		return nil, err
	}
	return c, cutFor(r.Engine, c, min(limit, free-partState(r)*int64(r.Rows)))
}

// Plan returns the parts that are copied for a plan, or why the graph cannot be cut.
func (s *Spec) Plan(e launch.Engine, p plan.Plan, edges bool) (plan.Parts, error) {
	layout, kinds, err := s.planned(p.Graph)
	if err != nil {
		return plan.Parts{}, err
	}
	beside, name := int64(0), ""
	if s.Degrees {
		beside, name = index.DegreesTable.Bytes(p.Graph), index.DegreesTable.Name
	}
	c := &cut{graph: p.Graph, arrays: partArraysOf(p.Graph, layout, kinds, edges)}
	if err := cutFor(e, c, resident.Limit(e.Device.Total)-beside); err != nil {
		return plan.Parts{}, err
	}
	return plan.Parts{
		Count: c.parts(), Slots: c.slots, SlotBytes: c.slotBytes, Bytes: c.bytes(0, p.Graph.NumVertices()), SecondOrder: s.second,
		Sweeps: s.Sweeps, Walkers: s.Walkers, Beside: beside, BesideName: name,
	}, nil
}
