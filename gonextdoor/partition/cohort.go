package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Cohort is the work of one part on the samples [First, First+Count). Walkers do not stay in a cohort between two calls of Run:
// each has ended, or is in a buffer to another part. So a cohort can be begun again from its roots when a part is lost.
//
// One goroutine may use a cohort. Several cohorts of one part may run at the same time.
type Cohort struct {
	Trace Trace   // of the steps and ends that this part recorded
	Owned []int64 // visits of the owned vertices by row; nil: not recorded
	Hot   []int64 // visits of the hot vertices that were made here; the part may own some of them

	*Walks
	first   uint64
	walkers uint32 // samples * roots
	out     []outbox
	group   []walker
	failed  error // that ends the run
}

// Trace has steps of walks as parallel arrays. Of a record of ends, an element is the last vertex of a walk.
type Trace struct {
	Walkers  []uint32 // the number of the walk in its cohort: sample * roots + root
	Steps    []uint32 // from 0; of ends, the number of steps of the walk
	Vertices []uint32
	Edges    []uint64 // ids, or graph.NoEdge; nil: not recorded
}

// groupSize is the number of walkers that advance in turn, so that their cache misses overlap.
const groupSize = 64

// Cohort returns the cohort of count samples from the id first.
func (w *Walks) Cohort(first uint64, count int) (*Cohort, error) {
	if most := (1<<32 - 1) / w.roots; count < 0 || count > most {
		return nil, refuse.Value("a cohort of %d samples of %d walks: expected at most %d samples", count, w.roots, most)
	}
	c := &Cohort{Walks: w, first: first, walkers: uint32(count * w.roots), out: make([]outbox, w.part.Owners.Parts())}
	c.group = make([]walker, 0, groupSize)
	if w.record.Visits {
		c.Owned = make([]int64, w.part.Graph().NumVertices())
		if hot := w.part.Hot(); hot != nil {
			c.Hot = make([]int64, hot.NumVertices())
		}
	}
	return c, nil
}

// Run advances the walkers of buffers that other parts encoded for this one, until each has ended or needs another part.
func (c *Cohort) Run(buffers [][]uint32, j *job.Job) error {
	for _, buffer := range buffers {
		in, err := decode(&c.format, buffer)
		if err != nil {
			return err
		}
		lists, bits := in.lists, in.bits
		for k := range kinds {
			for i := range in.counts[k] {
				m := in.read(k, i)
				if err := c.check(k, &m); err != nil {
					return err
				}
				switch k {
				case visits:
					c.visit(m.at)
					continue
				case scans:
					if lists, err = c.answerScan(&m, lists); err != nil {
						return err
					}
					continue
				case proposals:
					c.answerProposal(&m)
					continue
				}
				w, alive := c.walkerOf(&m), true
				switch k {
				case checks:
					alive = c.settle(&w, &m)
				case candidates:
					alive = c.settleNear(&w, m.candidate)
				case members:
					if bits, alive, err = c.settleScan(&w, bits); err != nil {
						return err
					}
				}
				if !alive {
					continue
				}
				if c.group = append(c.group, w); len(c.group) == groupSize {
					if err := c.drain(j); err != nil {
						return err
					}
				}
			}
		}
	}
	return c.drain(j)
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
		if c.second != nil && k != visits {
			bad = bad || m.prev >= n && m.prev != graph.None || k != scans && m.candidate >= n && m.candidate != graph.None
		}
		if ok && !bad {
			return nil
		}
	}
	return refuse.Format("part %d of %d received a walker that is not of this cohort or not at its vertices", c.part.Number, c.part.Owners.Parts())
}

// walkerOf returns the walker of a message.
func (c *Cohort) walkerOf(m *message) walker {
	key := c.stream.Key(c.first + uint64(m.number)/uint64(c.roots))
	return walker{key: key, number: m.number, slot: m.slot, at: m.at, prev: m.prev, extra: m.extra}
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
		for i := 0; i < len(all); {
			if c.advance(&all[i]) {
				i++
				continue
			}
			last := len(all) - 1
			all[i] = all[last]
			all = all[:last]
		}
	}
	c.group = c.group[:0]
	return c.failed
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
	if w.slot&255 == 0 && c.Owned != nil {
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
		c.Trace.add(w.number, step, next)
		if c.record.Edges {
			c.Trace.Edges = append(c.Trace.Edges, id)
		}
	}
	if !c.keepsRoot {
		w.prev = w.at
	}
	w.at, w.slot = next, (step+1)<<8
	switch {
	case last || uint64(step)+1 == c.length:
		if c.Owned != nil {
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
		c.Trace.add(w.number, uint32(w.step()), end)
	}
}

// visit counts a visit of a vertex, here or at its owner.
func (c *Cohort) visit(v uint32) {
	if r, row, ok := c.locate(v); ok {
		c.count(r, row)
		return
	}
	box := &c.out[c.part.Owner(v)]
	box.of[visits] = append(box.of[visits], message{at: v})
}

// count counts a visit of a row.
func (c *Cohort) count(r *rows, row uint32) {
	if r == c.owned {
		c.Owned[row]++
	} else {
		c.Hot[row]++
	}
}

// send sends a walker to a part.
func (c *Cohort) send(k kind, to int, w *walker, candidate uint32, id uint64) {
	m := message{number: w.number, slot: w.slot, at: w.at, prev: w.prev, candidate: candidate, extra: w.extra}
	if k == checks {
		m.extra = id
	}
	c.out[to].of[k] = append(c.out[to].of[k], m)
}

// Sizes returns the number of words of the buffer to each part; 0: there is none.
func (c *Cohort) Sizes() (words []int) {
	for i := range c.out {
		words = append(words, c.out[i].words(&c.format))
	}
	return words
}

// Encode writes the buffer to a part to memory of its size, and empties it. Other parts decode it by Run.
func (c *Cohort) Encode(part int, to []uint32) { c.out[part].encode(&c.format, to) }

// Start returns the buffer with which the walks of some samples begin: sample i of the cohort has the roots roots[i*r:(i+1)*r],
// r being the number of roots per sample. It has the roots that the part owns. walkers are the numbers of these roots.
func (w *Walks) Start(walkers, roots []uint32) []uint32 {
	var box outbox
	for i, v := range roots {
		m := message{number: walkers[i], at: v, prev: graph.None}
		if w.keepsRoot {
			m.prev = v
		}
		box.of[moves] = append(box.of[moves], m)
	}
	buffer := make([]uint32, box.words(&w.format))
	box.encode(&w.format, buffer)
	return buffer
}

// add appends an element without an edge.
func (t *Trace) add(number, step, vertex uint32) {
	t.Walkers, t.Steps, t.Vertices = append(t.Walkers, number), append(t.Steps, step), append(t.Vertices, vertex)
}

// maxSteps is the number of steps that a slot can count.
const maxSteps = 1 << 24
