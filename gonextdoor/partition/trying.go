package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// tryAll makes a try of each walker of the turn. It makes those of try, stage by stage, so that the reads of different walkers
// overlap and few branches depend on the outcome of a try.
func (c *trials) tryAll() {
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
			v = t.decide(w.candidate, w.prev, uint64(w.accept)).acceptedIf(w.sure)
		} else if position, accept, ok := r.choose(w.row, w.key.Word(uint64(w.slot))); ok {
			w.candidate, w.position = r.indices[position], position
			v = t.decide(w.candidate, w.prev, uint64(accept)).acceptedIf(w.sure)
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
func (c *trials) measureRows() {
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
func (c *trials) proposeAll() {
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
func (c *trials) try(i uint8) {
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

// settleNear completes a try with its candidate, an end point of the previous vertex.
func (c *trials) settleNear(i uint8) {
	w := &c.group.walkers[i]
	if c.second.staged() && c.rowsOf(w).reach == nil {
		c.searchOutlier(i, w.candidate)
		return
	}
	position, verdict := c.second.tryNear(c.rowsOf(w), w.row, w, w.candidate, c.part.Degree)
	c.conclude(i, position, verdict)
}
