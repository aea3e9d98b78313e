package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/rng"
)

// walkers is a group of walkers in step. Those that go on are the first n of the columns; what belongs to a walker
// whether it goes on or not is found by its lane.
type walkers struct {
	chooser
	c         columns
	n, step   int
	lanes     []lane
	of        []uint32 // the lane of a walker
	starts    []int    // the lanes' vertex, close together
	vertices  []uint32 // where steps are written
	positions []uint64 // of the edges taken; nil: not wanted
	stride    int      // places of a sample that is no row of a matrix
	pools     []pooled
	most      int   // steps
	ring      *ring // nil: steps are written into the rows one by one
}

// lane is where a walker writes.
type lane struct {
	sample       rng.Key
	t            uint64 // the walker's place among its sample's
	vertex, edge int    // where its steps begin: in vertices, in positions
	at           int    // the place of the pool that its transit was taken from
	end          int    // steps taken, once it has ended
}

func newWalkers(h *hooked, samples int) *walkers {
	n := samples * h.lanes
	w := &walkers{chooser: newChooser(h, max(n, h.batch.Roots.Width)), c: newColumns(max(n, h.batch.Roots.Width)), lanes: make([]lane, n), of: make([]uint32, n), starts: make([]int, n), most: h.grows.Steps}
	w.c.views = make([]app.Row, samples)
	w.c.roots = h.batch.Roots.Width
	if h.grows.VertexBias != nil {
		w.pools = make([]pooled, samples*w.c.roots)
	}
	w.ring = w.newRing()
	return w
}

// fill walks the samples [lo, hi) of a matrix.
func (w *walkers) fill(lo, hi int, out output.Matrix) error {
	w.vertices = out.Vertices
	if w.batch.Edges {
		w.positions = unsafe.Slice((*uint64)(buffer.Pointer(out.Edges)), len(out.Edges))
	}
	places := out.Width - w.c.roots
	for i := lo; i < hi; i++ {
		row := out.Vertices[i*out.Width:][:out.Width]
		copy(row, w.batch.Roots.Of(i, w.out[:1]))
		w.begin(i-lo, i, row, i*out.Width+w.c.roots, i*places)
	}
	if err := w.walk(); err != nil {
		return err
	}
	if w.batch.Edges {
		w.ids(w.positions[lo*places : hi*places])
	}
	w.job.Add(int64(hi - lo))
	return nil
}

// begin puts the walkers of row i, the group's sample number s, at their roots.
func (w *walkers) begin(s, i int, row []uint32, vertex, edge int) {
	w.c.views[s] = app.Row{ID: w.batch.First + uint64(i), Vertices: row, Ends: w.ends}
	if s == 0 {
		w.n, w.step = 0, 0
		if r := w.ring; r != nil {
			w.c.transit, w.c.prev = r.transit, r.prev
		}
	}
	c, key := &w.c, w.stream.Key(w.batch.First+uint64(i))
	for t := range w.hooked.lanes {
		k := w.n
		w.n++
		w.of[k], w.starts[k] = uint32(k), vertex+t
		w.lanes[k] = lane{sample: key, t: uint64(t), vertex: vertex + t, edge: edge + t}
		c.who[k], c.row[k], c.key[k] = uint32(s), w.batch.First+uint64(i)-w.first, uint64(key)
		c.transit[k], c.prev[k] = row[t], graph.None
	}
	for k := range w.pool(uint32(s)) {
		w.pool(uint32(s))[k] = pooled{row[k], graph.None}
	}
}

// walk takes steps until all walkers have ended.
func (w *walkers) walk() error {
	for ; w.n > 0 && (w.most == 0 || w.step < w.most); w.step++ {
		if err := w.job.Err(); err != nil {
			return err
		}
		if w.most == 0 && w.step == hook.MaxSteps && w.grows.Faults != nil {
			w.keep(func(i int) bool { return !w.fault(w.c.row[i], w.step, hook.NeverEnds) })
			break
		}
		w.widen()
		first := w.coordinates()
		if w.pools != nil {
			w.fromPools()
		}
		if w.grows.Stop != nil && w.n > 0 {
			stops := w.stops(&w.c, w.n)
			w.keep(func(i int) bool { return stops[i] == 0 })
		}
		if w.n == 0 {
			break
		}
		if w.ring != nil {
			w.leap()
		} else {
			w.choose(&w.c, w.n, first)
			w.move()
			if w.compiled.Next == 0 || w.grows.Update != nil { // a compiled next has asked already
				w.askRows()
			}
		}
	}
	if w.ring != nil {
		w.lay()
	}
	for k := range w.n {
		w.lanes[w.of[k]].end = w.step
	}
	return nil
}

// askRows asks for where the rows of the transits begin and end: of each eighth these lie in two lines of memory.
func (w *walkers) askRows() {
	stage.PrefetchRecords(buffer.Pointer(w.g.Indptr), w.c.transit[:w.n])
	stage.PrefetchRecords(buffer.Pointer(w.g.Indptr[1:]), w.c.transit[:w.n])
}

// coordinates sets where the words of the step are, and gives the slot of a choice's first.
func (w *walkers) coordinates() (first uint64) {
	if w.grows.Walks(w.c.roots) {
		w.c.set(w.step, w.n, rng.Slot(uint64(w.step), app.HookTry))
		return rng.Slot(uint64(w.step), 0)
	}
	w.c.set(w.step, w.n, app.HookSlot)
	for i, of := range w.of[:w.n] {
		l := &w.lanes[of]
		w.c.key[i] = uint64(l.sample.Stream(uint64(w.step)).Key(l.t))
	}
	return 0
}

// keep ends the walkers that do not go on.
func (w *walkers) keep(on func(i int) bool) {
	n := 0
	c := &w.c
	for i := range w.n {
		if !on(i) {
			w.end(&w.lanes[w.of[i]], w.step)
			continue
		}
		if n != i {
			c.take(n, c, i)
			c.edge[n], c.dst[n], w.of[n] = c.edge[i], c.dst[i], w.of[i]
		}
		n++
	}
	w.n = n
}

// end notes how many steps a walker took. In a matrix nothing is what follows.
func (w *walkers) end(l *lane, steps int) {
	l.end = steps
	if w.width == 0 {
		return
	}
	if w.hooked.lanes == 1 && w.positions == nil {
		rest := w.vertices[l.vertex+steps : l.vertex+w.most]
		for s := range rest {
			rest[s] = graph.None
		}
		return
	}
	for s := steps; s < w.most; s++ {
		w.vertices[l.vertex+s*w.hooked.lanes] = graph.None
		if w.positions != nil {
			w.positions[l.edge+s*w.hooked.lanes] = graph.NoEdge
		}
	}
}

// move records what was chosen, and puts the walkers there; those for whom there was nothing have ended.
func (w *walkers) move() {
	if w.grows.Update == nil && w.pools == nil && w.positions == nil {
		w.hurry()
		return
	}
	w.keep(func(i int) bool { return w.c.dst[i] != graph.None })
	c, stride := &w.c, w.step*w.hooked.lanes
	var to []uint32
	if w.grows.Update != nil && w.n > 0 {
		to = w.updates(c, w.n)
	}
	ended := false
	for i, dst := range c.dst[:w.n] {
		l, next, edge := &w.lanes[w.of[i]], dst, c.edge[i]
		if to != nil {
			if next = to[i]; next == graph.None {
				ended = true
			} else if next != dst {
				dst, edge = next, graph.NoEdge
			}
		}
		w.vertices[l.vertex+stride] = dst
		if w.positions != nil {
			w.positions[l.edge+stride] = edge
		}
		c.prev[i], c.transit[i] = c.transit[i], next
		if w.pools != nil && next != graph.None {
			w.pool(c.who[i])[l.at] = pooled{next, c.prev[i]}
		}
	}
	if ended {
		w.step++
		w.keep(func(i int) bool { return c.transit[i] != graph.None })
		w.step--
	}
}

// hurry is move where nothing but the vertex is recorded.
func (w *walkers) hurry() {
	c, stride, n := &w.c, w.step*w.hooked.lanes, 0
	for i, dst := range c.dst[:w.n] {
		if dst == graph.None {
			w.end(&w.lanes[w.of[i]], w.step)
			continue
		}
		w.vertices[w.starts[w.of[i]]+stride] = dst
		from := c.transit[i]
		if n != i {
			c.take(n, c, i)
			w.of[n] = w.of[i]
		}
		c.prev[n], c.transit[n] = from, dst
		n++
	}
	w.n = n
}

// ids turns positions of edges into what results have.
func (w *walkers) ids(positions []uint64) {
	rowaccess.PrefetchIDs(w.g, positions)
	for i, at := range positions {
		if at != graph.NoEdge { // -1 as it is
			positions[i] = w.g.EdgeID(at)
		}
	}
}
