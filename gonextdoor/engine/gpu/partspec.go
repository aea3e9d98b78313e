package gpu

import (
	"errors"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// partSpec says how a plan runs on a graph of which GPU memory has some parts at a time.
type partSpec struct {
	kernel  string          // the name of the kernel that advances walkers, without its prefix
	layout  resident.Layout // of the parts, see partArraysOf
	words   int             // the state of a walker, in units of 4 bytes: 2, 4 or 8
	second  bool            // choices read rows of other vertices too, and the host makes some of the samples
	degrees bool            // the degrees of all vertices are in GPU memory, beside the parts
	pool    bool            // a sample has a pool of vertices, one of which moves at each step
	walkers int             // of a sample, for estimates; 0: one

	// samples makes all samples of one width, and copies all parts `sweeps` times; nil: walkers advance by the kernel.
	samples func(r *run) error
	sweeps  int
}

// partSpecOf returns the partSpec of a walk that advances by the kernel of that name.
func partSpecOf(name string, a app.StaticWeights) *partSpec {
	if a.Weights() == app.Yes {
		return &partSpec{kernel: name + "_alias", layout: resident.Alias, words: 2}
	}
	return &partSpec{kernel: name + "_uniform", layout: resident.Rows, words: 2}
}

// secondOrderParts returns the partSpec of a walk of second order. Walks that exclude edges back read no row but that of the
// vertex.
func secondOrderParts(a app.SecondOrderer) *partSpec {
	weighted := a.Weights() == app.Yes
	_, outliers := a.Outliers()
	var s *partSpec
	switch {
	case a.SecondOrder().Back == 0:
		s = partSpecOf("nonbacktracking", a)
		s.words = 4
		if weighted {
			s.layout |= resident.Biases // for the scan of a row after all tries were rejected
		}
	case outliers.Back == 0:
		s = partSpecOf("node2vec", a)
		s.words, s.second = 4, true
	default:
		s = partSpecOf("node2vecoutliers", a)
		s.words, s.second = 8, true
		if s.layout |= resident.ParallelEdges; weighted {
			s.layout ^= resident.ParallelEdges | resident.Reach | resident.Biases
		}
	}
	s.layout |= resident.Rows
	return s
}

// enters returns the name of the kernel that places the walkers, without its prefix.
func (s *partSpec) enters() string {
	if s.pool {
		return "pools"
	}
	return "enter"
}

// inParts reports whether a run copies the graph part by part.
func (e Engine) inParts(spec launchSpec, g *graph.Graph, edges bool) bool {
	return spec.parts != nil && e.exceeds(spec, g, edges)
}

// exceeds reports whether no variant's layouts fit into the budget together, or not beside the app's tables, and the graph is not
// split over several GPUs.
func (e Engine) exceeds(spec launchSpec, g *graph.Graph, edges bool) bool {
	if e.Tuning.Parts > 0 {
		return true
	}
	if _, placed := resident.PlacementOf(g); placed {
		return false
	}
	limit := resident.Limit(e.Device.Total)
	if int64(g.NumEdges())*plan.PartEdge+int64(g.NumVertices())*plan.PartVertex <= limit {
		return false
	}
	tables := int64(0)
	if spec.layered != nil {
		tables = spec.layered.tables
	}
	for _, v := range spec.variants {
		want := v.layout
		if edges {
			want |= resident.IDs
		}
		parts, err := resident.Parts(g, want, e.Device.ID, false)
		if all := bytesOf(parts); err == nil && all <= limit { // the variant that the run would take
			return all+tables > limit
		}
	}
	return true
}

// Sweeps reports whether a call of Matrix copies the graph to the GPU part by part.
func (e Engine) Sweeps(p plan.Plan, g *graph.Graph, b plan.Batch) bool {
	spec, err := e.compiled(p)
	return err == nil && e.inParts(spec, g, b.Edges)
}

// beginParts prepares the run to copy the graph part by part. It builds the tables of the host that parts are taken from.
func (r *run) beginParts() error {
	s := r.spec.parts
	g := kernels.Graph{Vertices: uint64(r.graph.NumVertices()), Edges: uint64(r.graph.NumEdges())}
	if r.batch.Edges {
		switch {
		case r.graph.EdgeIDs != nil:
			g.IDSize = 4
		case r.graph.EdgeIDs64 != nil:
			g.IDSize = 8
		}
	}
	r.args.G = g
	if err := r.buildPartTables(); err != nil {
		return err
	}
	r.spec.interleaved = false
	if s.samples != nil {
		r.calls.samples = s.samples
		return r.leaveRoom()
	}
	r.calls.launch = (*run).walkParts
	r.calls.samples = func(r *run) error {
		a := r.args
		a.T.End = uint64((r.plan.Width - r.batch.Roots.Width) / r.walkers())
		return r.walkParts(&a)
	}
	return nil
}

// buildPartTables builds the tables that parts are taken from, and uploads those that are not cut.
func (r *run) buildPartTables() error {
	s, g := r.spec.parts, &r.args.G
	if s.layout&resident.Alias != 0 {
		if err := index.BuildAlias(r.graph, r.options()); err != nil {
			return err
		}
	}
	if s.layout&resident.ByLabel != 0 {
		if err := r.buildLabelParts(); err != nil {
			return err
		}
	}
	if s.layout&(resident.Reach|resident.ParallelEdges) != 0 {
		if _, err := index.ReachOf(r.graph, s.layout&resident.Reach != 0, r.options()); err != nil {
			return err
		}
	}
	if s.layout&resident.RowTries != 0 {
		if _, err := index.RowTries(r.graph, r.options()); err != nil {
			return err
		}
	}
	if s.second {
		symmetric, err := index.Symmetric(r.graph, r.options())
		if err != nil {
			return err
		}
		if symmetric {
			g.Mirrored = 1
		}
	}
	if s.degrees {
		degrees, err := index.DegreesOf(r.graph, r.options())
		if err != nil {
			return err
		}
		at, err := r.holdTable(resident.TableOf(index.DegreesTable, index.DegreesTable.Name), resident.ArrayOf(degrees))
		if err != nil {
			return err
		}
		r.degrees = at[0]
	}
	return nil
}

// chooseParts is beginParts for a run that stores its samples.
func (r *run) chooseParts() error {
	if err := r.beginParts(); err != nil {
		return err
	}
	return r.leaveRoom()
}

// leaveRoom returns an error that wraps cuda.ErrMemory if a result of one width would leave too little memory to the parts.
// The caller then makes fewer rows at a time.
func (r *run) leaveRoom() error {
	limit, free, err := resident.Budget(r.device)
	if err != nil || r.plan.Width == 0 || r.engine.Tuning.Parts > 0 {
		return err
	}
	each := 4*int64(r.plan.Width) + r.partState()
	if r.spec.parts.pool {
		each += 8 * int64(r.batch.Roots.Width)
	}
	if r.batch.Edges {
		each += 8 * int64(r.plan.Width-r.batch.Roots.Width)
	}
	if bytes := each * int64(r.rows); bytes > free-min(limit, free/2) && r.rows > 1 {
		return refuse.Device("%w: %s are needed for %d samples, beside the parts of a graph that does not fit: sample fewer at a time, or use device=\"cpu\"",
			cuda.ErrMemory, cuda.Size(bytes), r.rows)
	}
	return nil
}

// cutParts cuts the graph into parts for the memory that is free now.
func (r *run) cutParts() (*partCut, error) {
	c := &partCut{graph: r.graph, arrays: partArraysOf(r.graph, r.spec.parts.layout, int(r.args.G.LabelKinds), r.batch.Edges)}
	limit, free, err := resident.Budget(r.device)
	if err != nil {
		return nil, err
	}
	return c, r.engine.cutFor(c, min(limit, free-r.partState()*int64(r.rows)))
}

// PlanParts returns the parts that the engine copies for a plan, if the graph does not fit into the memory that graphs may
// take, or plan.Parts{}. The error says why the graph cannot be cut. It builds and copies nothing.
func (e Engine) PlanParts(p plan.Plan, edges bool) (plan.Parts, error) {
	spec, err := e.compiled(p)
	if err == nil && e.gathers(spec, p.Graph, edges) {
		return e.planGathered(p, spec, edges)
	}
	if err != nil || !e.inParts(spec, p.Graph, edges) {
		return plan.Parts{}, err
	}
	layout, kinds, err := spec.parts.planned(p.Graph)
	if err != nil {
		return plan.Parts{}, err
	}
	beside, name := int64(0), ""
	if spec.parts.degrees {
		beside, name = index.DegreesTable.Bytes(p.Graph), index.DegreesTable.Name
	}
	c := &partCut{graph: p.Graph, arrays: partArraysOf(p.Graph, layout, kinds, edges)}
	if err := e.cutFor(c, resident.Limit(e.Device.Total)-beside); err != nil {
		return plan.Parts{}, err
	}
	return plan.Parts{
		Count: c.parts(), Slots: c.slots, SlotBytes: c.slotBytes, Bytes: c.bytes(0, p.Graph.NumVertices()), SecondOrder: spec.parts.second,
		Sweeps: spec.parts.sweeps, Walkers: spec.parts.walkers, Beside: beside, BesideName: name,
	}, nil
}

// Exceeds returns why the engine cannot run a plan: no variant's layouts fit into the memory that graphs may take, and the plan
// runs neither part by part nor row by row, or the graph cannot be cut for it. The error wraps resident.ErrRoom. It returns
// nil for plans that run. It builds and copies nothing.
func (e Engine) Exceeds(p plan.Plan, edges bool) error {
	spec, err := e.compiled(p)
	if err != nil {
		return nil // not for lack of memory
	}
	if spec.parts != nil || spec.gathered != nil {
		if _, err = e.PlanParts(p, edges); errors.Is(err, resident.ErrRoom) {
			return err
		}
		return nil
	}
	return e.exceedsWhole(p, spec, edges)
}

// exceedsWhole is Exceeds for a plan that needs the complete graph in GPU memory.
func (e Engine) exceedsWhole(p plan.Plan, spec launchSpec, edges bool) error {
	if _, placed := resident.PlacementOf(p.Graph); placed {
		return nil
	}
	least, err := (&Program{p, spec}).LeastBytes(e.Device.ID, edges)
	if err != nil {
		return nil // no variant suits the graph, whatever the memory
	}
	if spec.layered != nil {
		least += spec.layered.tables
	}
	limit := resident.Limit(e.Device.Total)
	if least <= limit {
		return nil
	}
	return spec.refuseParts(p, refuse.Device("%w on cuda:%d: %s are needed, and graphs may take %s (GONEXTDOOR_DEVICE_MEMORY)",
		resident.ErrRoom, e.Device.ID, cuda.Size(least), cuda.Size(limit)))
}

// RunsInParts reports whether a plan runs on a GPU whose memory the graph exceeds.
func (e Engine) RunsInParts(p plan.Plan) bool {
	spec, err := e.compiled(p)
	return err == nil && (spec.parts != nil || spec.gathered != nil)
}
