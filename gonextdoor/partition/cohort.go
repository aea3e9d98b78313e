package partition

import (
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
	trials
	first   uint64
	walkers uint32 // samples * roots
	rounds  int    // of the group
}

// Cohort returns the cohort of count samples from the id first.
func (w *Walks) Cohort(first uint64, count int) (*Cohort, error) {
	if most := (1<<32 - 1) / w.roots; count < 0 || count > most {
		return nil, refuse.Value("a cohort of %d samples of %d walks: expected at most %d samples", count, w.roots, most)
	}
	c := &Cohort{first: first, walkers: uint32(count * w.roots)}
	c.Walks, c.group, c.Outboxes = w, newWalkerGroup(), newOutboxes(w.format, w.part.Layout)
	if w.record.Visits {
		c.visitCounts = newVisitCounts(w.part)
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
	for set, r := range []*rows{c.owned, c.hot} {
		c.advance(r, g.turn[set].all())
	}
	c.settle()
	if c.needs.hints {
		c.depart()
	}
	return c.failed
}

// roundsPerPoll is the number of rounds of a group between two checks for cancellation.
const roundsPerPoll = 1024

// receive handles the messages of a kind. Rounds make place for them.
func (c *Cohort) receive(in *inbox, k kind, j *job.Job) error {
	f, words, g := &c.Outboxes.format[k], in.messages[k], c.group
	for range in.counts[k] {
		for g.free.size == 0 {
			if err := c.round(j); err != nil {
				return err
			}
		}
		i := g.free.pop()
		w := &g.walkers[i]
		f.read(words[:f.words], &w.message)
		words = words[f.words:]
		r, row, err := c.check(k, &w.message)
		if err != nil {
			return err
		}
		w.key, w.away = c.keyOf(w.number), k == checks
		if w.away {
			w.hints = noHints(w.at) // the previous vertex if the candidate is accepted
		}
		if err := c.resume(k, i, r, row, in); err != nil {
			return err
		}
	}
	return nil
}

// resume handles a message of a kind, which walker i holds. The row is the one that the message needs.
func (c *Cohort) resume(k kind, i uint8, r *rows, row uint32, in *inbox) (err error) {
	w := &c.group.walkers[i]
	switch k {
	case moves, hinted:
		c.place(i, r, row)
		return nil
	case checks:
		target := w.candidate
		if c.second.check {
			target = w.prev
		}
		c.search(i, r, row, target)
		return nil
	case candidates:
		w.row, w.hot = row, r == c.hot
		c.resumeNear(i)
		return nil
	case members:
		w.row, w.hot = row, r == c.hot
		return c.settleScan(i, in)
	case visits:
		c.count(row, r == c.hot)
	case scans:
		err = c.answerScan(r, row, w, in)
	case proposals:
		c.answerProposal(r, row, w)
	}
	c.group.free.push(i) // no walker came with the message
	return err
}

// check returns the row that a message needs. It returns an error if a message does not fit the cohort, so that a buffer of
// another run cannot crash the process.
func (c *Cohort) check(k kind, m *message) (r *rows, row uint32, err error) {
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
		r, row, ok := c.locate(local)
		bad := m.number >= c.walkers || m.at >= n || uint64(m.slot>>8) > c.length
		if c.needs.previous && m.prev >= n { // at the first step there is no previous vertex, but a root
			bad = bad || k != visits && (k != moves || c.needs.root || m.prev != graph.None)
		}
		bad = bad || k == visits && c.visited == nil
		bad = bad || k == checks && m.candidate >= n || k == candidates && m.candidate >= n && m.candidate != graph.None
		bad = bad || k == checks && c.needs.ahead && m.ahead.beyond(n)
		if ok && !bad {
			return r, row, nil
		}
	}
	return nil, 0, refuse.Format("part %d of %d received a walker that is not of this cohort or not at its vertices", c.part.Number, c.part.Owners.Parts())
}

// keyOf returns the key of the sample of a walker.
func (c *Cohort) keyOf(number uint32) rng.Key {
	sample := uint64(number)
	if c.roots > 1 { // a division takes as long as the key
		sample /= uint64(c.roots)
	}
	return c.stream.Key(c.first + sample)
}
