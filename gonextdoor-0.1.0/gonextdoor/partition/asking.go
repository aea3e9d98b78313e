package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// tryAll makes a try of each walker of the turn. It makes those of try, stage by stage, so that the reads of different walkers
// overlap and few branches depend on the outcome of a try.
func (c *Cohort) tryAll() {
	g, t := c.group, c.second
	// 1. Select an edge per walker, and prefetch it.
	c.measureRows()
	c.proposeAll()
	g.positions = g.positions[:0]
	for _, i := range g.proposed[fromRow].all() {
		if w := &g.walkers[i]; !w.hot {
			g.positions = append(g.positions, w.position)
		}
	}
	c.tryOutliers()
	c.prefetch()
	c.readNears()
	// 2. Decide what the fraction decides.
	for v := range g.decided {
		g.decided[v].size = 0
	}
	for _, i := range g.proposed[fromRow].all() {
		w := &g.walkers[i]
		r := c.rowsOf(w)
		v := ended
		if r.slots == nil {
			w.candidate = r.indices[w.position]
			v = w.sure | (1-w.sure)*t.decide(w.candidate, w.prev, uint64(w.accept))
		} else if position, accept, ok := r.choose(w.row, w.key.Word(uint64(w.slot))); ok {
			w.candidate, w.position = r.indices[position], position
			v = w.sure | (1-w.sure)*t.decide(w.candidate, w.prev, uint64(accept))
		}
		g.decided[v].push(i)
	}
	// 3. Handle the walkers by verdict.
	for _, i := range g.decided[rejected].all() {
		g.walkers[i].slot++
		g.ready.push(i)
	}
	for _, i := range g.decided[accepted].all() {
		w := &g.walkers[i]
		c.move(i, w.candidate, w.position, false)
	}
	for _, i := range g.decided[ended].all() {
		c.finish(i, g.walkers[i].at)
	}
	for _, i := range g.decided[undecided].all() {
		c.lookUp(i)
	}
}

// measureRows reads where the rows of the walkers of the turn begin, and the numbers of edges of the rows and of the previous
// vertices. No branch depends on them, so that the reads of different walkers overlap.
func (c *Cohort) measureRows() {
	g := c.group
	for _, i := range g.turn.all() {
		w := &g.walkers[i]
		r := c.rowsOf(w)
		first := r.indptr[w.row]
		g.first[i], g.degree[i] = first, r.indptr[w.row+1]-first
		if c.needs.degrees && w.prev != graph.None {
			g.from[i] = c.part.Degree(w.prev)
		}
	}
}

// proposeAll selects the slots of the tries of the turn, and divides the walkers by the regions of their slots. Walkers at empty
// rows, at rows with parallel edges, and without a try left are left to try.
func (c *Cohort) proposeAll() {
	g, t := c.group, c.second
	for k := range g.proposed {
		g.proposed[k].size = 0
	}
	for _, i := range g.turn.all() {
		w, n := &g.walkers[i], g.degree[i]
		if n == 0 || w.slot&255 >= selector.MaxTries {
			c.try(i)
			continue
		}
		regions := selector.Regions{Row: n, Near: n, Back: n}
		w.sure = bit(w.prev == graph.None)
		if t.outliers.Back > 0 && w.prev != graph.None {
			if c.rowsOf(w).reach != nil {
				c.try(i)
				continue
			}
			regions = t.outliers.Regions(n, g.from[i], index.SingleReach)
			w.sure = bit(regions.Short())
		}
		k, fraction := rng.Below(w.key.Word(uint64(w.slot)), regions.Back)
		w.position, w.accept = g.first[i]+k, fraction
		g.proposed[bit(k >= regions.Row)+bit(k >= regions.Near)].push(i)
	}
}

// try makes a try of a walker of second order at its row.
func (c *Cohort) try(i uint8) {
	t, w := c.second, &c.group.walkers[i]
	r := c.rowsOf(w)
	position, verdict := t.try(r, w.row, w, c.part.Degree)
	switch verdict {
	case undecided:
		w.candidate, w.position = r.indices[position], position
		c.lookUp(i)
		return
	case near:
		candidate, known := w.hint()
		if from, at, ok := c.locate(w.prev); ok {
			candidate, known = nearOf(from, at, w.prev, w.key.Word(uint64(w.slot))), true
		}
		if !known {
			c.send(proposals, c.part.Owner(w.prev), w)
			c.group.free.push(i)
			return
		}
		position, verdict = t.tryNear(r, w.row, w, candidate, c.part.Degree)
	case whole:
		c.scan(i)
		return
	}
	c.conclude(i, position, verdict)
}

// conclude moves a walker, lets it make the next try, or ends its walk.
func (c *Cohort) conclude(i uint8, position uint64, v verdict) {
	w := &c.group.walkers[i]
	switch v {
	case accepted:
		c.move(i, c.rowsOf(w).indices[position], position, false)
	case ended:
		c.finish(i, w.at)
	default:
		w.slot++
		c.group.ready.push(i)
	}
}

// acceptsNear reports whether an undecided candidate is accepted if it is a neighbour of the previous vertex; otherwise it is
// accepted if it is not.
func (t *secondOrder) acceptsNear() bool { return t.order.Near > t.order.Away }

// lookUp begins the look-up that decides about the candidate of a walker, in a row of this part or of another.
func (c *Cohort) lookUp(i uint8) {
	w := &c.group.walkers[i]
	r, row, ok := c.locate(w.prev)
	target := w.candidate
	if !ok && c.second.check {
		r, row, ok = c.locate(w.candidate)
		target = w.prev
	}
	if !ok {
		c.ask(i)
		return
	}
	c.search(i, r, row, target)
}

// search begins the look-up of a vertex in a row, which decides about the candidate of a walker.
func (c *Cohort) search(i uint8, r *rows, row, target uint32) {
	c.group.walkers[i].outlier = false
	first, end := r.indptr[row], r.indptr[row+1]
	if first == end {
		c.answered(i, false)
		return
	}
	c.group.lookups[bit(r == c.hot)].add(i, first, uint32(end-first), target)
}

// settle completes the look-ups.
func (c *Cohort) settle() {
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
}

// answered decides about the candidate of a walker, given whether the edge that decides exists. An accepted walker moves to the
// candidate, a rejected one makes the next try at its vertex.
func (c *Cohort) answered(i uint8, edge bool) {
	w := &c.group.walkers[i]
	switch {
	case edge == (w.outlier || c.second.acceptsNear()):
		if !w.away && c.record.Edges {
			w.extra = c.rowsOf(w).g.EdgeID(w.position)
		}
		c.arrive(i, w.candidate, w.extra, false)
	case !w.away:
		w.slot++
		c.group.ready.push(i)
	default:
		w.slot++
		c.enter(i)
	}
}

// ask sends a walker to a part that knows whether its candidate is accepted.
func (c *Cohort) ask(i uint8) {
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
func (c *Cohort) answerProposal(r *rows, row uint32, w *walker) {
	w.candidate = nearOf(r, row, w.prev, w.key.Word(uint64(w.slot)))
	c.send(candidates, c.part.Owner(w.at), w)
}

// settleNear completes a try with its candidate, an end point of the previous vertex.
func (c *Cohort) settleNear(i uint8) {
	w := &c.group.walkers[i]
	if c.second.staged() && c.rowsOf(w).reach == nil {
		c.searchOutlier(i, w.candidate)
		return
	}
	position, verdict := c.second.tryNear(c.rowsOf(w), w.row, w, w.candidate, c.part.Degree)
	c.conclude(i, position, verdict)
}

// scan makes the choice after the last try, or asks the owner of the previous vertex for what it needs.
func (c *Cohort) scan(i uint8) {
	w := &c.group.walkers[i]
	r, row := c.rowsOf(w), w.row
	isNear := func(int) bool { return false }
	if c.second.asks(r, row, w.prev) {
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
	c.chosen(i, c.second.scanRow(r, row, w, isNear))
}

// chosen moves a walker along the edge of a scan, or ends its walk.
func (c *Cohort) chosen(i uint8, position uint64) {
	verdict := accepted
	if position == graph.NoEdge {
		verdict = ended
	}
	c.conclude(i, position, verdict)
}

// answerScan sends a bit for each of the next vertices of the lists of a buffer, as many as the candidate says: whether the
// previous vertex has an edge to it.
func (c *Cohort) answerScan(r *rows, row uint32, w *walker, in *inbox) error {
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
func (c *Cohort) settleScan(i uint8, in *inbox) error {
	w := &c.group.walkers[i]
	r := c.rowsOf(w)
	n := (int(r.indptr[w.row+1]-r.indptr[w.row]) + 31) / 32
	if n > len(in.bits) {
		return refuse.Format("a buffer between parts has %d words of bits: expected %d for a row", len(in.bits), n)
	}
	bits := in.bits[:n]
	in.bits = in.bits[n:]
	isNear := func(k int) bool { return bits[k/32]>>(k%32)&1 == 1 }
	c.chosen(i, c.second.scanRow(r, w.row, w, isNear))
	return nil
}
