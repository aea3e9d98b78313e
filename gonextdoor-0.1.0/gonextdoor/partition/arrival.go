package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

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
		c.settleNear(i)
		return nil
	case members:
		w.row, w.hot = row, r == c.hot
		return c.settleScan(i, in)
	case visits:
		c.count(r, row)
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
