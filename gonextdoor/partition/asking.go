package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// try makes a try of a walker of second order at its row, and reports whether it is still here.
func (c *Cohort) try(r *rows, row uint32, w *walker) bool {
	t := c.second
	position, verdict := t.try(r, row, w, c.part.Degree)
	switch verdict {
	case undecided:
		candidate := r.indices[position]
		if _, known := c.shows(w.prev, candidate); !known {
			c.ask(r, w, candidate, position)
			return false
		}
		w.open, w.candidate, w.position = true, candidate, position
		return true
	case near:
		from, at, ok := c.locate(w.prev)
		if !ok {
			c.send(proposals, c.part.Owner(w.prev), w, 0, 0)
			return false
		}
		candidate := nearOf(from, at, w.prev, w.key.Word(uint64(w.slot)))
		position, verdict = t.tryNear(r, row, w, candidate, c.part.Degree)
	case whole:
		return c.scan(r, row, w)
	}
	return c.decide(r, w, position, verdict)
}

// decide moves a walker, lets it make the next try, or ends its walk. It reports whether it is still here.
func (c *Cohort) decide(r *rows, w *walker, position uint64, v verdict) bool {
	switch v {
	case accepted:
		return c.move(r, w, r.indices[position], position, false)
	case ended:
		return c.move(r, w, graph.None, graph.NoEdge, true)
	}
	w.slot++
	return true
}

// acceptsNear reports whether an undecided candidate is accepted if it is a neighbour of the previous vertex; otherwise it is
// accepted if it is not.
func (t *secondOrder) acceptsNear() bool { return t.order.Near > t.order.Away }

// shows returns the look-up that finds out whether an edge leads from u to v, and whether a row of this part shows it.
func (c *Cohort) shows(u, v uint32) (l lookup, known bool) {
	r, row, ok := c.locate(u)
	target := v
	if !ok && c.second.check {
		r, row, ok = c.locate(v)
		target = u
	}
	if !ok {
		return l, false
	}
	neighbors := r.indices[r.indptr[row]:r.indptr[row+1]]
	return lookup{row: neighbors, left: len(neighbors), target: target}, true
}

// settle decides about the proposals of open walkers, and returns the walkers that are still here. An accepted walker is at its
// candidate, a rejected one at its vertex for the next try.
func (c *Cohort) settle(all []walker) []walker {
	// 1. Look up the edges.
	c.lookups = c.lookups[:0]
	for i := range all {
		if w := &all[i]; w.open {
			l, _ := c.shows(w.prev, w.candidate)
			l.walker = i
			c.lookups = append(c.lookups, l)
		}
	}
	searchRows(c.lookups)
	// 2. Decide, backwards, so that a walker that fills a gap has been handled.
	for k := len(c.lookups) - 1; k >= 0; k-- {
		l := &c.lookups[k]
		w := &all[l.walker]
		if c.answered(w, l.found()) {
			continue
		}
		last := len(all) - 1
		all[l.walker] = all[last]
		all = all[:last]
	}
	return all
}

// answered decides about the candidate of an open walker, and reports whether the walker is still here.
func (c *Cohort) answered(w *walker, edge bool) bool {
	id := w.extra
	w.open, w.extra = false, 0
	if edge != c.second.acceptsNear() {
		w.slot++
		return true
	}
	if w.position != graph.NoEdge && c.record.Edges {
		r, _, _ := c.locate(w.at)
		id = r.g.EdgeID(w.position)
	}
	return c.arrive(w, w.candidate, id, false)
}

// ask sends a walker to a part that knows whether its candidate is accepted.
func (c *Cohort) ask(r *rows, w *walker, candidate uint32, position uint64) {
	to, id := c.part.Owner(w.prev), uint64(0)
	if c.second.check {
		to = c.part.Owner(candidate)
	}
	if c.record.Edges {
		id = r.g.EdgeID(position)
	}
	c.send(checks, to, w, candidate, id)
}

// answerProposal sends the end point of an edge of the previous vertex to a walker that proposes it.
func (c *Cohort) answerProposal(w *walker) {
	r, row, _ := c.locate(w.prev)
	c.send(candidates, c.part.Owner(w.at), w, nearOf(r, row, w.prev, w.key.Word(uint64(w.slot))), 0)
}

// settleNear completes a try with its candidate, an end point of the previous vertex.
func (c *Cohort) settleNear(w *walker, candidate uint32) bool {
	r, row, _ := c.locate(w.at)
	position, verdict := c.second.tryNear(r, row, w, candidate, c.part.Degree)
	return c.decide(r, w, position, verdict)
}

// scan makes the choice after the last try, or asks the owner of the previous vertex for what it needs.
func (c *Cohort) scan(r *rows, row uint32, w *walker) bool {
	isNear := func(int) bool { return false }
	if c.second.asks(r, row, w.prev) {
		from, at, ok := c.locate(w.prev)
		neighbors := r.indices[r.indptr[row]:r.indptr[row+1]]
		if !ok {
			to := c.part.Owner(w.prev)
			c.send(scans, to, w, uint32(len(neighbors)), 0)
			c.boxes[to].lists = append(c.boxes[to].lists, neighbors...)
			return false
		}
		isNear = func(i int) bool { return from.has(at, neighbors[i]) }
	}
	return c.chosen(r, w, c.second.scanRow(r, row, w, isNear))
}

// chosen moves a walker along the edge of a scan, or ends its walk.
func (c *Cohort) chosen(r *rows, w *walker, position uint64) bool {
	if position == graph.NoEdge {
		return c.decide(r, w, position, ended)
	}
	return c.decide(r, w, position, accepted)
}

// answerScan sends a bit for each of the next n vertices of the lists of a buffer: whether the previous vertex has an edge to it.
func (c *Cohort) answerScan(w *walker, n int, in *inbox) error {
	if n > len(in.lists) {
		return refuse.Format("a buffer between parts has a list of %d vertices, of which %d are there", n, len(in.lists))
	}
	list := in.lists[:n]
	in.lists = in.lists[n:]
	r, row, _ := c.locate(w.prev)
	to := c.part.Owner(w.at)
	c.send(members, to, w, 0, 0)
	bits := make([]uint32, (n+31)/32)
	for i, v := range list {
		if r.has(row, v) {
			bits[i/32] |= 1 << (i % 32)
		}
	}
	c.boxes[to].bits = append(c.boxes[to].bits, bits...)
	return nil
}

// settleScan makes the choice of a scan with the next bits of a buffer, one for each edge of the row. It reports whether the
// walk continues.
func (c *Cohort) settleScan(w *walker, in *inbox) (alive bool, err error) {
	r, row, _ := c.locate(w.at)
	n := (int(r.indptr[row+1]-r.indptr[row]) + 31) / 32
	if n > len(in.bits) {
		return false, refuse.Format("a buffer between parts has %d words of bits: expected %d for a row", len(in.bits), n)
	}
	bits := in.bits[:n]
	in.bits = in.bits[n:]
	isNear := func(i int) bool { return bits[i/32]>>(i%32)&1 == 1 }
	return c.chosen(r, w, c.second.scanRow(r, row, w, isNear)), nil
}
