package partition

import "gonextdoor/gonextdoor/engine/cpu/stage"

// ahead are the tries after the one about which a walker asks another part. If that part rejects the candidate, the walker
// continues with them, and need not return to its vertex. They are a function of the row and the try.
type ahead struct {
	outcomes   uint32             // 8 bits per try: rejected, accepted, undecided or elsewhere
	candidates [triesAhead]uint32 // of accepted and undecided tries; else any vertex
}

// triesAhead is the number of tries that travel with a walker.
const triesAhead = 2

// next removes the first try. Its outcome is elsewhere if only the part that has the row of the walker's vertex can make it.
func (a *ahead) next() (candidate uint32, outcome uint32) {
	candidate, outcome = a.candidates[0], a.outcomes&255
	copy(a.candidates[:], a.candidates[1:])
	a.outcomes = a.outcomes>>8 | elsewhere<<(8*(triesAhead-1))
	return candidate, outcome
}

// beyond reports whether a candidate is not below a number of vertices.
func (a *ahead) beyond(vertices uint32) (is bool) {
	for _, v := range a.candidates {
		is = is || v >= vertices
	}
	return is
}

// askAhead makes the next tries of the walkers that ask other parts, whose rows are in r, as far as they need no row but that, and
// sends the walkers.
func (c *Cohort) askAhead(r *rows) {
	g, b := c.group, &c.group.batch
	// 1. Load the walkers.
	n := g.asking.size
	for k, i := range g.asking.all() {
		w := &g.walkers[i]
		b.of[k], b.Key[k], b.Vertex[k], b.Previous[k] = i, uint64(w.key), w.row, w.prev
		w.ahead.outcomes = 0
	}
	g.asking.size = 0
	for t := range triesAhead {
		// 2. Make a try of each.
		for k, i := range b.of[:n] {
			b.Term[k] = stage.Term(uint64(g.walkers[i].slot) + uint64(t) + 1)
		}
		c.second.foresee(c, r, n)
		// 3. Take its outcome along.
		for k, i := range b.of[:n] {
			w := &g.walkers[i]
			outcome := b.Accepted[k]
			if uint64(w.slot&255)+uint64(t)+1 >= c.tries(r, w.row) {
				outcome = elsewhere
			}
			if w.ahead.candidates[t] = b.Candidate[k]; outcome == elsewhere {
				w.ahead.candidates[t] = w.at
			}
			w.ahead.outcomes |= outcome << (8 * t)
		}
	}
	for _, i := range b.of[:n] {
		c.ask(i)
	}
}

// foresee makes tries of n walkers. Those that propose outliers are elsewhere.
func (t *secondOrder) foresee(c *Cohort, r *rows, n int) {
	b, strays := &c.group.batch, &c.group.strays
	strays.Count = 0
	if t.outliers.Back > 0 {
		r.tables.ProposeApart(&b.Walkers, n, &r.outliers, strays)
	} else {
		r.tables.Propose(&b.Walkers, n)
	}
	b.undecided(r.tables.Decide(&b.Walkers, n, t.bias))
	for _, k := range strays.Walker[:strays.Count] {
		b.Accepted[k] = elsewhere
	}
}

// continueAway makes the next try of a walker in this part whose candidate was rejected here.
func (c *trials) continueAway(i uint8) {
	w := &c.group.walkers[i]
	for {
		w.slot++
		switch candidate, outcome := w.ahead.next(); outcome {
		case rejected:
		case accepted:
			c.arrive(i, candidate, w.extra, false)
			return
		case undecided:
			w.candidate = candidate
			c.lookUp(i)
			return
		default:
			c.enter(i)
			return
		}
	}
}
