package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// receive handles the messages of a kind. Rounds make place for them.
func (c *Cohort) receive(in *inbox, k kind, j *job.Job) error {
	f, words, free := &c.Outboxes.format[k], in.messages[k], &c.group.free
	var m message
	for range in.counts[k] {
		for free.size == 0 {
			if err := c.round(j); err != nil {
				return err
			}
		}
		f.read(words[:f.words], &m)
		words = words[f.words:]
		r, row, err := c.check(k, &m)
		if err != nil {
			return err
		}
		switch k {
		case visits:
			c.count(r, row)
		case scans:
			w := c.walkerOf(&m)
			err = c.answerScan(r, row, &w, int(m.candidate), in)
		case proposals:
			w := c.walkerOf(&m)
			c.answerProposal(r, row, &w)
		default:
			i := free.pop()
			c.group.walkers[i] = c.walkerOf(&m)
			err = c.resume(k, i, m.candidate, r, row, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resume lets a walker continue by a message of a kind. The row is the one that the message needs.
func (c *Cohort) resume(k kind, i uint8, candidate uint32, r *rows, row uint32, in *inbox) error {
	w := &c.group.walkers[i]
	switch k {
	case moves:
		c.place(i, r, row)
	case checks:
		w.candidate, w.position = candidate, graph.NoEdge
		target := candidate
		if c.second.check {
			target = w.prev
		}
		c.group.lookups = append(c.group.lookups, r.lookup(row, target, i))
	case candidates:
		w.row, w.hot = row, r == c.hot
		c.settleNear(i, candidate)
	case members:
		w.row, w.hot = row, r == c.hot
		return c.settleScan(i, in)
	}
	return nil
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

// walkerOf returns the walker of a message.
func (c *Cohort) walkerOf(m *message) walker {
	sample := uint64(m.number)
	if c.roots > 1 { // a division takes as long as the key
		sample /= uint64(c.roots)
	}
	return walker{key: c.stream.Key(c.first + sample), number: m.number, slot: m.slot, at: m.at, prev: m.prev, extra: m.extra}
}
