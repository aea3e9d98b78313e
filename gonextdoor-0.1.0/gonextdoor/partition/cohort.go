package partition

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Cohort is the work of one part on the samples [First, First+Count). Walkers do not stay in a cohort between two calls of Run:
// each has ended, or is in a buffer to another part. So a cohort can be begun again from its roots when a part is lost.
//
// One goroutine may use a cohort. Several cohorts of one part may run at the same time.
type Cohort struct {
	Trace Trace // of the steps and ends that this part recorded

	Outboxes

	*Walks
	first   uint64
	walkers uint32 // samples * roots
	group   *walkerGroup
	rounds  int   // of the group
	failed  error // that ends the run

	visited []int64 // visits of the owned vertices by row; nil: not recorded
	passed  []int64 // visits of hot vertices of other parts
}

// Cohort returns the cohort of count samples from the id first.
func (w *Walks) Cohort(first uint64, count int) (*Cohort, error) {
	if most := (1<<32 - 1) / w.roots; count < 0 || count > most {
		return nil, refuse.Value("a cohort of %d samples of %d walks: expected at most %d samples", count, w.roots, most)
	}
	c := &Cohort{Walks: w, first: first, walkers: uint32(count * w.roots), group: newWalkerGroup()}
	c.Outboxes = newOutboxes(w.format, w.part.Layout)
	if w.record.Visits {
		c.visited = make([]int64, w.part.Graph().NumVertices())
		if hot := w.part.Hot(); hot != nil {
			c.passed = make([]int64, hot.NumVertices())
		}
	}
	return c, nil
}

// Run advances the walkers of buffers that other parts encoded for this one, until each has ended or needs another part.
func (c *Cohort) Run(buffers [][]uint32, j *job.Job) error {
	return c.part.Graph().Blame(parallel.Do(1, func(int) error { // Do turns the fault of a mapped part into an error
		for _, buffer := range buffers {
			in, err := decode(&c.Outboxes.format, buffer)
			if err != nil {
				return err
			}
			for k := range kinds {
				if err := c.receive(&in, k, j); err != nil {
					return err
				}
			}
		}
		for c.group.busy() {
			if err := c.round(j); err != nil {
				return err
			}
		}
		return c.failed
	}))
}

// round makes a step or a try of each walker that is ready, and decides about those that wait for a look-up.
func (c *Cohort) round(j *job.Job) error {
	if c.rounds++; c.rounds%roundsPerPoll == 0 {
		if err := j.Err(); err != nil {
			return err
		}
	}
	g := c.group
	g.begin()
	switch {
	case c.second == nil:
		if c.reads {
			c.readAhead()
		}
		for _, i := range g.turn.all() {
			w := &g.walkers[i]
			r := c.rowsOf(w)
			next, position, last := c.stepper.step(r, w.row, w)
			c.move(i, next, position, last)
		}
	case c.second.staged():
		c.tryAll()
	default:
		for _, i := range g.turn.all() {
			c.try(i)
		}
	}
	c.settle()
	if c.needs.hints {
		c.depart()
	}
	return c.failed
}

// roundsPerPoll is the number of rounds of a group between two checks for cancellation.
const roundsPerPoll = 1024

// readAhead prefetches the edges, or their alias slots, that the words of walkers select among the rows of the part.
func (c *Cohort) readAhead() {
	g, r := c.group, c.owned
	g.positions = g.positions[:0]
	for _, i := range g.turn.all() {
		if w := &g.walkers[i]; !w.hot {
			first, end := r.indptr[w.row], r.indptr[w.row+1]
			k, _ := rng.Below(w.key.Word(uint64(w.slot)), end-first)
			g.positions = append(g.positions, first+k)
		}
	}
	c.prefetch()
}

// prefetch prefetches the edges at the positions, or their alias slots.
func (c *Cohort) prefetch() {
	if r, positions := c.owned, c.group.positions; r.slots != nil {
		stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(r.slots)), positions)
	} else {
		stage.PrefetchIndices(unsafe.SliceData(r.indices), positions)
	}
}

// rowsOf returns the rows of which one is that of a walker's vertex.
func (c *Cohort) rowsOf(w *walker) *rows {
	if w.hot {
		return c.hot
	}
	return c.owned
}

// move records the step of a walker to next by the edge at a position.
func (c *Cohort) move(i uint8, next uint32, position uint64, last bool) {
	w := &c.group.walkers[i]
	if next == graph.None {
		c.finish(i, w.at)
		return
	}
	id := graph.NoEdge
	if c.record.Edges && position != graph.NoEdge {
		id = c.rowsOf(w).g.EdgeID(position)
	}
	c.arrive(i, next, id, last)
}

// arrive records the step of a walker to next by the edge with an id.
func (c *Cohort) arrive(i uint8, next uint32, id uint64, last bool) {
	w := &c.group.walkers[i]
	step := uint32(w.step())
	if c.record.Traces {
		c.Trace.add(Step{w.number, step, next}, c.record.Edges, id)
	}
	if !c.needs.root {
		w.prev = w.at
	}
	w.at, w.slot = next, (step+1)<<8
	switch {
	case last || uint64(step)+1 == c.length:
		if c.visited != nil {
			c.visit(next)
		}
		c.finish(i, next)
	case step+1 == maxSteps:
		c.failed = refuse.Value("max_length = 0: a walk has %d steps; pass a limit below 2^24", maxSteps)
		c.group.free.push(i)
	default:
		c.enter(i)
	}
}

// enter lets a walker continue at its vertex, here or in the part that has the row.
func (c *Cohort) enter(i uint8) {
	w := &c.group.walkers[i]
	r, row, ok := c.locate(w.at)
	if ok {
		c.place(i, r, row)
		return
	}
	if c.needs.hints && !w.away && !c.everywhere(w.prev) {
		c.group.leaving.push(i) // its row is that of the previous vertex
		return
	}
	c.leave(moves, i)
}

// place makes a walker ready, whose vertex has a row of this part.
func (c *Cohort) place(i uint8, r *rows, row uint32) {
	w := &c.group.walkers[i]
	w.row, w.hot, w.away = row, r == c.hot, false
	if w.slot&255 == 0 && c.visited != nil {
		c.count(r, row)
	}
	if w.step() >= c.length {
		c.finish(i, w.at)
		return
	}
	c.group.ready.push(i)
}

// finish records the end of a walk.
func (c *Cohort) finish(i uint8, end uint32) {
	if w := &c.group.walkers[i]; c.record.Ends {
		c.Trace.add(Step{w.number, uint32(w.step()), end}, false, 0)
	}
	c.group.free.push(i)
}

// visit counts a visit of a vertex, here or at its owner.
func (c *Cohort) visit(v uint32) {
	if r, row, ok := c.locate(v); ok {
		c.count(r, row)
		return
	}
	c.boxes[c.part.Owner(v)].add(&c.Outboxes.format, visits, &message{at: v})
}

// count counts a visit of a row.
func (c *Cohort) count(r *rows, row uint32) {
	if r == c.owned {
		c.visited[row]++
	} else {
		c.passed[row]++
	}
}

// Visited returns the number of vertices that CopyVisits writes.
func (c *Cohort) Visited() (n int) {
	c.eachVisit(func(uint32, int64) { n++ })
	return n
}

// CopyVisits writes the vertices that walks visited at this part, and how often. Another part may have visited a hot vertex too.
func (c *Cohort) CopyVisits(vertices []uint32, counts []int64) {
	n := 0
	c.eachVisit(func(v uint32, count int64) {
		vertices[n], counts[n] = v, count
		n++
	})
}

// eachVisit calls f with each vertex that was visited here.
func (c *Cohort) eachVisit(f func(v uint32, count int64)) {
	if c.visited == nil {
		return
	}
	c.part.EachOwned(func(row int, v uint32) {
		if count := c.visited[row]; count > 0 {
			f(v, count)
		}
	})
	for row, count := range c.passed {
		if count > 0 {
			f(c.part.Layout.Hot[row], count)
		}
	}
}

// send sends a walker to a part.
func (c *Cohort) send(k kind, to int, w *walker) { c.boxes[to].add(&c.Outboxes.format, k, &w.message) }

// maxSteps is the number of steps that a slot can count.
const maxSteps = 1 << 24
