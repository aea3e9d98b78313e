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
	group   []walker
	failed  error // that ends the run
	lookups []lookup

	positions []uint64 // of readAhead
	visited   []int64  // visits of the owned vertices by row; nil: not recorded
	passed    []int64  // visits of hot vertices of other parts
}

// Step is a step of a walk, or its last vertex.
type Step struct {
	Walker uint32 // the number of the walk in its cohort: sample * roots + root
	Step   uint32 // from 0; of a last vertex, the number of steps of the walk
	Vertex uint32
}

// Trace has steps in blocks, so that adding one copies no others.
type Trace struct {
	blocks [][]Step
	edges  [][]uint64
	size   int
}

// traceBlock is the number of steps of a block.
const traceBlock = 1 << 15

// groupSize is the number of walkers that advance in turn, so that their cache misses overlap.
const groupSize = 128

// Cohort returns the cohort of count samples from the id first.
func (w *Walks) Cohort(first uint64, count int) (*Cohort, error) {
	if most := (1<<32 - 1) / w.roots; count < 0 || count > most {
		return nil, refuse.Value("a cohort of %d samples of %d walks: expected at most %d samples", count, w.roots, most)
	}
	c := &Cohort{Walks: w, first: first, walkers: uint32(count * w.roots), group: make([]walker, 0, groupSize)}
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
		return c.drain(j)
	}))
}

// receive handles the messages of a kind.
func (c *Cohort) receive(in *inbox, k kind, j *job.Job) (err error) {
	f := &c.Outboxes.format[k]
	for i := range in.counts[k] {
		m := f.read(in.messages[k][i*f.words : (i+1)*f.words])
		if err := c.check(k, &m); err != nil {
			return err
		}
		alive := k != visits && k != scans && k != proposals
		w := c.walkerOf(&m)
		switch k {
		case visits:
			c.visit(m.at)
		case scans:
			err = c.answerScan(&w, int(m.candidate), in)
		case proposals:
			c.answerProposal(&w)
		case checks:
			w.open, w.candidate, w.position = true, m.candidate, graph.NoEdge
		case candidates:
			alive = c.settleNear(&w, m.candidate)
		case members:
			alive, err = c.settleScan(&w, in)
		}
		if err != nil {
			return err
		}
		if alive {
			if c.group = append(c.group, w); len(c.group) == groupSize {
				if err := c.drain(j); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// check returns an error if a message does not fit the cohort, so that a buffer of another run cannot crash the process.
func (c *Cohort) check(k kind, m *message) error {
	n := uint32(c.part.Whole.Vertices)
	local := m.at // the vertex whose row is read here
	switch k {
	case checks:
		if local = m.prev; c.second.check {
			local = m.candidate
		}
	case proposals, scans:
		local = m.prev
	}
	if local < n {
		_, _, ok := c.locate(local)
		bad := m.number >= c.walkers || m.at >= n || uint64(m.slot>>8) > c.length
		if c.needs.previous && m.prev >= n { // at the first step there is no previous vertex, but a root
			bad = bad || k != visits && (k != moves || c.needs.root || m.prev != graph.None)
		}
		bad = bad || k == checks && m.candidate >= n || k == candidates && m.candidate >= n && m.candidate != graph.None
		if ok && !bad {
			return nil
		}
	}
	return refuse.Format("part %d of %d received a walker that is not of this cohort or not at its vertices", c.part.Number, c.part.Owners.Parts())
}

// walkerOf returns the walker of a message.
func (c *Cohort) walkerOf(m *message) walker {
	sample := uint64(m.number)
	if c.roots > 1 { // a division takes as long as the key
		sample /= uint64(c.roots)
	}
	return walker{key: c.stream.Key(c.first + sample), number: m.number, slot: m.slot, at: m.at, prev: m.prev, extra: m.extra}
}

// drain advances the walkers of the group in turn until none is left.
func (c *Cohort) drain(j *job.Job) error {
	all := c.group
	for rounds := 0; len(all) > 0; rounds++ {
		if rounds%roundsPerPoll == 0 {
			if err := j.Err(); err != nil {
				return err
			}
		}
		// 1. Prefetch the edges that the choices read.
		if c.reads {
			c.readAhead(all)
		}
		// 2. Make a step or a try of each walker.
		for i := 0; i < len(all); {
			if all[i].open || c.advance(&all[i]) {
				i++
				continue
			}
			last := len(all) - 1
			all[i] = all[last]
			all = all[:last]
		}
		// 3. Decide about proposals that depend on an edge.
		if c.second != nil {
			all = c.settle(all)
		}
	}
	c.group = c.group[:0]
	return c.failed
}

// readAhead prefetches the edges, or their alias slots, that the words of walkers select among the rows of the part.
func (c *Cohort) readAhead(all []walker) {
	r := c.owned
	positions := c.positions[:0]
	for i := range all {
		w := &all[i]
		if row, ok := c.part.owned.row(w.at); ok && !w.open {
			first, end := r.indptr[row], r.indptr[row+1]
			i, _ := rng.Below(w.key.Word(uint64(w.slot)), end-first)
			positions = append(positions, first+i)
		}
	}
	if r.slots != nil {
		stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(r.slots)), positions)
	} else {
		stage.PrefetchIndices(unsafe.SliceData(r.indices), positions)
	}
	c.positions = positions
}

// roundsPerPoll is the number of rounds of a group between two checks for cancellation.
const roundsPerPoll = 1024

// advance makes a step or a try of a walker, and reports whether it is still here.
func (c *Cohort) advance(w *walker) bool {
	r, row, ok := c.locate(w.at)
	if !ok {
		c.send(moves, c.part.Owner(w.at), w, 0, 0)
		return false
	}
	if w.slot&255 == 0 && c.visited != nil {
		c.count(r, row)
	}
	if w.step() >= c.length {
		c.finish(w, w.at)
		return false
	}
	if c.second != nil {
		return c.try(r, row, w)
	}
	next, position, last := c.stepper.step(r, row, w)
	return c.move(r, w, next, position, last)
}

// move records a step to next by the edge at a position, and reports whether the walker continues.
func (c *Cohort) move(r *rows, w *walker, next uint32, position uint64, last bool) bool {
	if next == graph.None {
		c.finish(w, w.at)
		return false
	}
	id := graph.NoEdge
	if c.record.Edges && position != graph.NoEdge {
		id = r.g.EdgeID(position)
	}
	return c.arrive(w, next, id, last)
}

// arrive records a step to next by the edge with an id, and reports whether the walker continues.
func (c *Cohort) arrive(w *walker, next uint32, id uint64, last bool) bool {
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
		c.finish(w, next)
		return false
	case step+1 == maxSteps:
		c.failed = refuse.Value("max_length = 0: a walk has %d steps; pass a limit below 2^24", maxSteps)
		return false
	}
	return true
}

// finish records the end of a walk.
func (c *Cohort) finish(w *walker, end uint32) {
	if c.record.Ends {
		c.Trace.add(Step{w.number, uint32(w.step()), end}, false, 0)
	}
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
func (c *Cohort) send(k kind, to int, w *walker, candidate uint32, id uint64) {
	m := message{number: w.number, slot: w.slot, at: w.at, prev: w.prev, candidate: candidate, extra: w.extra}
	if k == checks {
		m.extra = id
	}
	c.boxes[to].add(&c.Outboxes.format, k, &m)
}

// add adds a step, with the id of its edge if ids are recorded.
func (t *Trace) add(s Step, edges bool, id uint64) {
	last := len(t.blocks) - 1
	if t.size%traceBlock == 0 {
		t.blocks = append(t.blocks, make([]Step, 0, traceBlock))
		last++
		if edges {
			t.edges = append(t.edges, make([]uint64, 0, traceBlock))
		}
	}
	t.blocks[last] = append(t.blocks[last], s)
	if edges {
		t.edges[last] = append(t.edges[last], id)
	}
	t.size++
}

// Size returns the number of steps.
func (t *Trace) Size() int { return t.size }

// Copy writes all steps to memory of their number, and the ids of their edges unless edges is nil.
func (t *Trace) Copy(steps []Step, edges []uint64) {
	for i, block := range t.blocks {
		steps = steps[copy(steps, block):]
		if edges != nil {
			edges = edges[copy(edges, t.edges[i]):]
		}
	}
}

// maxSteps is the number of steps that a slot can count.
const maxSteps = 1 << 24
