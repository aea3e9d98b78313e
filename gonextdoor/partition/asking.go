package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// trials makes the tries of walkers of second order, and the look-ups that decide about their candidates.
type trials struct{ movement }

// lookUp begins the look-up that decides about the candidate of a walker, in a row of this part or of another.
func (c *trials) lookUp(i uint8) {
	w := &c.group.walkers[i]
	r, row, ok := c.locate(w.prev)
	target := w.candidate
	if !ok && c.second.check {
		r, row, ok = c.locate(w.candidate)
		target = w.prev
	}
	switch {
	case ok:
		c.search(i, r, row, target)
	case c.needs.ahead && !w.away:
		c.group.asking.push(i)
	default:
		c.ask(i)
	}
}

// search begins the look-up of a vertex in a row, which decides about the candidate of a walker.
func (c *trials) search(i uint8, r *rows, row, target uint32) {
	c.group.walkers[i].outlier = false
	first, end := r.indptr[row], r.indptr[row+1]
	if first == end {
		c.answered(i, false)
		return
	}
	c.group.lookups[bit(r == c.hot)].add(i, first, uint32(end-first), target)
}

// settle completes the look-ups.
func (c *trials) settle() {
	g := c.group
	for set, r := range []*rows{c.owned, c.hot} {
		done := &g.lookups[set]
		if done.size() == 0 {
			continue
		}
		done.Search(r.indices)
		for k, i := range done.walkers {
			low := done.Low[k]
			if w := &g.walkers[i]; w.outlier {
				w.position = low
			}
			c.answered(i, r.indices[low] == done.Target[k])
		}
		done.clear()
	}
	refused := g.refused
	g.refused.size = 0
	for _, i := range refused.all() {
		c.continueAway(i)
	}
}

// answered decides about the candidate of a walker, given whether the edge that decides exists. An accepted walker moves to the
// candidate, a rejected one makes the next try at its vertex.
func (c *trials) answered(i uint8, edge bool) {
	w := &c.group.walkers[i]
	switch {
	case edge == (w.outlier || c.second.acceptsNear()):
		if !w.away && c.record.Edges {
			w.extra = c.rowsOf(w).g.EdgeID(w.position)
		}
		c.arrive(i, w.candidate, w.extra, false)
	case !w.away:
		c.reject(i)
	default:
		c.group.refused.push(i)
	}
}

// ask sends a walker to a part that knows whether its candidate is accepted.
func (c *trials) ask(i uint8) {
	w := &c.group.walkers[i]
	to := w.prev
	if c.second.check {
		to = w.candidate
	}
	if c.record.Edges {
		w.extra = c.rowsOf(w).g.EdgeID(w.position)
	}
	c.send(checks, c.part.Owner(to), w)
	c.group.free.push(i)
}

// answerProposal sends the end point of an edge of the previous vertex to a walker that proposes it.
func (c *trials) answerProposal(r *rows, row uint32, w *walker) {
	w.candidate = nearOf(r, row, w.prev, w.key.Word(uint64(w.slot)))
	c.send(candidates, c.part.Owner(w.at), w)
}

// scan makes the choice after the last try, or asks the owner of the previous vertex for what it needs.
func (c *trials) scan(i uint8) {
	w := &c.group.walkers[i]
	r, row := c.rowsOf(w), w.row
	isNear := func(int) bool { return false }
	if c.second != nil && c.second.asks(r, row, w.prev) {
		from, at, ok := c.locate(w.prev)
		neighbors := r.indices[r.indptr[row]:r.indptr[row+1]]
		if !ok {
			to := c.part.Owner(w.prev)
			w.candidate = uint32(len(neighbors))
			c.send(scans, to, w)
			c.boxes[to].lists = append(c.boxes[to].lists, neighbors...)
			c.group.free.push(i)
			return
		}
		isNear = func(k int) bool { return from.has(at, neighbors[k]) }
	}
	c.scanned(i, isNear)
}

// scanned moves a walker by a scan of its row, or ends its walk. isNear reports whether an edge leads from the previous vertex to
// the end point of edge k of the row.
func (c *trials) scanned(i uint8, isNear func(k int) bool) {
	w := &c.group.walkers[i]
	r := c.rowsOf(w)
	position := c.scanRow(r, w, isNear)
	if position == graph.NoEdge {
		c.finish(i, w.at)
		return
	}
	c.move(i, r.indices[position], position, false)
}

// answerScan sends a bit for each of the next vertices of the lists of a buffer, as many as the candidate says: whether the
// previous vertex has an edge to it.
func (c *trials) answerScan(r *rows, row uint32, w *walker, in *inbox) error {
	n := int(w.candidate)
	if n > len(in.lists) {
		return refuse.Format("a buffer between parts has a list of %d vertices, of which %d are there", n, len(in.lists))
	}
	list := in.lists[:n]
	in.lists = in.lists[n:]
	to := c.part.Owner(w.at)
	c.send(members, to, w)
	bits := make([]uint32, (n+31)/32)
	for i, v := range list {
		if r.has(row, v) {
			bits[i/32] |= 1 << (i % 32)
		}
	}
	c.boxes[to].bits = append(c.boxes[to].bits, bits...)
	return nil
}

// settleScan makes the choice of a scan with the next bits of a buffer, one for each edge of the row.
func (c *trials) settleScan(i uint8, in *inbox) error {
	w := &c.group.walkers[i]
	r := c.rowsOf(w)
	n := (int(r.indptr[w.row+1]-r.indptr[w.row]) + 31) / 32
	if n > len(in.bits) {
		return refuse.Format("a buffer between parts has %d words of bits: expected %d for a row", len(in.bits), n)
	}
	bits := in.bits[:n]
	in.bits = in.bits[n:]
	isNear := func(k int) bool { return bits[k/32]>>(k%32)&1 == 1 }
	c.scanned(i, isNear)
	return nil
}
