package growth

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/rng"
)

// walkers advances a group of walkers step by step, all at the same step. The active walkers are the first entries of the
// columns: when a walker ends, the others are compacted. State that a walker keeps until its end is stored in its lane.
type walkers struct {
	run     *programRun
	hooks   *hookCaller
	chooser *chooser
	scratch *columns   // overwritten by the chooser, the pools and hook calls on candidates
	pools   *rootPools // nil if the program has no VertexBias hook
	fused   *fusedSteps
	trace   trace

	columns    columns
	active     int      // walkers that have not ended
	laneOf     []uint32 // lane of each active walker
	step       int
	rootBuffer []uint32 // for plan.Roots.Of
}

// newWalkers returns an empty group with capacity for the walkers of a number of samples.
func newWalkers(r *programRun, samples int) *walkers {
	lanes, roots := samples*r.lanes, r.batch.Roots.Width
	capacity := max(lanes, roots) // one hook call computes the biases of a pool of roots
	room := capacity
	if r.method == oneByBias {
		room *= proposalsPerWalker
	}
	scratch := newColumns(room)
	hooks := newHookCaller(r, room)
	w := &walkers{
		run:        r,
		hooks:      hooks,
		chooser:    newChooser(r, hooks, &scratch, capacity),
		scratch:    &scratch,
		trace:      newTrace(r, lanes),
		columns:    newColumns(capacity),
		laneOf:     make([]uint32, lanes),
		rootBuffer: make([]uint32, 1),
	}
	w.columns.views = make([]app.Row, samples)
	w.columns.roots = roots
	if r.program.VertexBias != nil {
		w.pools = newRootPools(roots, samples, room)
	}
	if canFuse(r, capacity) {
		w.fused = newFusedSteps(&w.columns)
	}
	return w
}

// fillMatrix runs the walks of samples [lo, hi) and writes them to a matrix.
func (w *walkers) fillMatrix(lo, hi int, out output.Matrix) error {
	roots, trace := w.columns.roots, &w.trace
	trace.vertices = out.Vertices
	if w.run.batch.Edges {
		trace.edges = unsafe.Slice((*uint64)(buffer.Pointer(out.Edges)), len(out.Edges))
	}
	steps := out.Width - roots
	w.reset()
	for i := lo; i < hi; i++ {
		row := out.Vertices[i*out.Width:][:out.Width]
		copy(row, w.run.batch.Roots.Of(i, w.rootBuffer))
		w.add(i-lo, i, row, i*out.Width+roots, i*steps)
	}
	if err := w.walk(); err != nil {
		return err
	}
	if w.run.batch.Edges {
		writeEdgeIDs(w.run.graph, trace.edges[lo*steps:hi*steps])
	}
	w.run.job.Add(int64(hi - lo))
	return nil
}

// reset removes all walkers.
func (w *walkers) reset() {
	w.active, w.step = 0, 0
	if w.fused != nil {
		w.fused.reset(&w.columns)
	}
}

// add adds the walkers of a sample at its roots. view is the sample's index in the group, i its row in the batch. Its first
// step is written to vertices[vertex] and edges[edge] of the trace.
func (w *walkers) add(view, i int, row []uint32, vertex, edge int) {
	c, id := &w.columns, w.run.batch.First+uint64(i)
	key := w.run.stream.Key(id)
	c.views[view] = app.Row{ID: id, Vertices: row, Ends: w.run.stepEnds}
	for place := range w.run.lanes {
		k := w.active
		w.active++
		w.laneOf[k] = uint32(k)
		w.trace.begin(k, lane{sample: key, place: uint64(place), vertex: vertex + place, edge: edge + place})
		c.view[k], c.row[k], c.key[k] = uint32(view), id-w.run.firstID, uint64(key)
		c.transit[k], c.prev[k], c.reached[k] = row[place], graph.None, graph.NoEdge
	}
	if w.pools != nil {
		w.pools.fill(view, row)
	}
}

// walk takes steps until all walkers have ended.
func (w *walkers) walk() error {
	limit := w.run.program.Steps
	for ; w.active > 0 && (limit == 0 || w.step < limit); w.step++ {
		if err := w.run.job.Err(); err != nil {
			return err
		}
		if w.run.unbounded(w.step) {
			w.keep(func(i int) bool {
				w.run.fault(w.columns.row[i], w.step, hook.NeverEnds)
				return false
			})
			break
		}
		if !w.takeStep() {
			break
		}
	}
	if w.fused != nil {
		w.fused.flush(&w.trace, w.laneOf[:w.active], w.step)
	}
	for _, lane := range w.laneOf[:w.active] {
		w.trace.lanes[lane].end = w.step
	}
	return nil
}

// takeStep takes one step. It returns false if no walker is left.
func (w *walkers) takeStep() bool {
	// 1. Set the slots of the step's random words, and draw the transits if there are pools.
	w.growRows()
	first := w.placeWords()
	if w.pools != nil {
		w.drawTransits()
	}
	// 2. End walkers by the Stop hook.
	if w.run.program.Stop != nil && w.active > 0 {
		stops := w.hooks.stop(&w.columns, w.active)
		w.keep(func(i int) bool { return stops[i] == 0 })
	}
	if w.active == 0 {
		return false
	}
	// 3. Choose, record and move.
	if w.fused != nil {
		w.fusedStep()
		return true
	}
	w.chooser.choose(&w.columns, w.active, first)
	w.move()
	// 4. Prefetch Indptr for the new transits. A compiled Next hook has prefetched it for the vertices that it returned.
	if w.run.compiled.Next == 0 || w.run.program.Update != nil {
		w.prefetchRecords()
	}
	return true
}

// prefetchRecords prefetches both offsets of each transit's row in Indptr. One in eight of these pairs spans two cache lines.
func (w *walkers) prefetchRecords() {
	indptr, transits := w.run.graph.Indptr, w.columns.transit[:w.active]
	stage.PrefetchRecords(buffer.Pointer(indptr), transits)
	stage.PrefetchRecords(buffer.Pointer(indptr[1:]), transits)
}

// placeWords sets the keys and the slots of hook words for the step, and returns the slot of each choice's first word.
func (w *walkers) placeWords() (first uint64) {
	c, step := &w.columns, uint64(w.step)
	if w.run.program.Walks(c.roots) {
		c.begin(w.step, w.active, rng.Slot(step, program.HookTry))
		return rng.Slot(step, 0)
	}
	c.begin(w.step, w.active, program.HookSlot)
	for i, of := range w.laneOf[:w.active] {
		lane := &w.trace.lanes[of]
		c.key[i] = uint64(lane.sample.Stream(step).Key(lane.place))
	}
	return 0
}

// keep ends the walkers for which continues is false, and compacts the others in order.
func (w *walkers) keep(continues func(i int) bool) {
	n := 0
	c := &w.columns
	for i := range w.active {
		if !continues(i) {
			w.trace.finish(w.laneOf[i], w.step)
			continue
		}
		if n != i {
			c.take(n, c, i)
			c.edge[n], c.dst[n], w.laneOf[n] = c.edge[i], c.dst[i], w.laneOf[i]
			c.edgeInTime[n] = c.edgeInTime[i]
		}
		n++
	}
	w.active = n
}

// move records the picks and moves the walkers to them. Walkers without a pick end.
func (w *walkers) move() {
	if w.run.program.Update == nil && w.pools == nil && w.trace.edges == nil && w.run.inTime.Edges == nil {
		w.moveToPicks()
		return
	}
	c := &w.columns
	// 1. End walkers without a pick.
	w.keep(func(i int) bool { return c.dst[i] != graph.None })
	// 2. Call the Update hook.
	var updated []uint32
	if w.run.program.Update != nil && w.active > 0 {
		updated = w.hooks.update(c, w.active)
	}
	// 3. Record. If Update returns graph.None, the pick is recorded and the walk ends after it.
	ended, offset := false, w.trace.offset(w.step)
	for i, dst := range c.dst[:w.active] {
		next, edge := dst, c.edge[i]
		if updated != nil {
			if next = updated[i]; next == graph.None {
				ended = true
			} else if next != dst {
				dst, edge = next, graph.NoEdge
			}
		}
		lane := &w.trace.lanes[w.laneOf[i]]
		w.trace.vertices[lane.vertex+offset] = dst
		if w.trace.edges != nil {
			w.trace.edges[lane.edge+offset] = edge
		}
		c.prev[i], c.transit[i], c.reached[i], c.reachedInTime[i] = c.transit[i], next, edge, c.edgeInTime[i]
		if w.pools != nil && next != graph.None {
			w.pools.replace(c.view[i], pooled{next, c.prev[i], edge})
		}
	}
	if ended {
		w.step++
		w.keep(func(i int) bool { return c.transit[i] != graph.None })
		w.step--
	}
}

// moveToPicks is move for programs without an Update hook and Follows that record vertices only. It reads slices through w, since there
// are too few registers to hold them as local variables.
func (w *walkers) moveToPicks() {
	c, offset, n := &w.columns, w.trace.offset(w.step), 0
	for i, dst := range c.dst[:w.active] {
		if dst == graph.None {
			w.trace.finish(w.laneOf[i], w.step)
			continue
		}
		w.trace.vertices[w.trace.starts[w.laneOf[i]]+offset] = dst
		from, edge := c.transit[i], c.edge[i]
		if n != i {
			c.take(n, c, i)
			w.laneOf[n] = w.laneOf[i]
		}
		c.prev[n], c.transit[n], c.reached[n] = from, dst, edge
		n++
	}
	w.active = n
}
