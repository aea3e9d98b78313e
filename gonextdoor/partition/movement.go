package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// movement moves the walkers of a cohort: it records their steps and ends, and sends them to the parts that have their rows.
type movement struct {
	*Walks
	Outboxes
	visitCounts
	Trace  Trace // of the steps and ends that this part recorded
	group  *walkerGroup
	failed error // that ends the run
}

// rowsOf returns the rows of which one is that of a walker's vertex.
func (c *movement) rowsOf(w *walker) *rows {
	if w.hot {
		return c.hot
	}
	return c.owned
}

// move records the step of a walker to next by the edge at a position.
func (c *movement) move(i uint8, next uint32, position uint64, last bool) {
	w := &c.group.walkers[i]
	if next == graph.None {
		c.finish(i, w.at)
		return
	}
	id := graph.NoEdge
	if c.record.Edges && position != graph.NoEdge {
		id = c.rowsOf(w).g.EdgeID(position)
	}
	c.arrive(i, next, id, last)
}

// arrive records the step of a walker to next by the edge with an id.
func (c *movement) arrive(i uint8, next uint32, id uint64, last bool) {
	w := &c.group.walkers[i]
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
		c.finish(i, next)
	case step+1 == maxSteps:
		c.failed = refuse.Value("max_length = 0: a walk has %d steps; pass a limit below 2^24", maxSteps)
		c.group.free.push(i)
	default:
		c.enter(i)
	}
}

// enter lets a walker continue at its vertex, here or in the part that has the row.
func (c *movement) enter(i uint8) {
	w := &c.group.walkers[i]
	r, row, ok := c.locate(w.at)
	if ok {
		c.place(i, r, row)
		return
	}
	if c.needs.hints && !w.away && !c.part.everywhere(w.prev) {
		c.group.leaving.push(i) // its row is that of the previous vertex
		return
	}
	c.leave(moves, i)
}

// place makes a walker ready, whose vertex has a row of this part.
func (c *movement) place(i uint8, r *rows, row uint32) {
	w := &c.group.walkers[i]
	w.row, w.hot, w.away = row, r == c.hot, false
	if w.slot&255 == 0 && c.visited != nil {
		c.count(row, r == c.hot)
	}
	if w.step() >= c.length {
		c.finish(i, w.at)
		return
	}
	c.group.ready.push(i)
}

// finish records the end of a walk.
func (c *movement) finish(i uint8, end uint32) {
	if w := &c.group.walkers[i]; c.record.Ends {
		c.Trace.add(Step{w.number, uint32(w.step()), end}, false, 0)
	}
	c.group.free.push(i)
}

// visit counts a visit of a vertex, here or at its owner.
func (c *movement) visit(v uint32) {
	if r, row, ok := c.locate(v); ok {
		c.count(row, r == c.hot)
		return
	}
	c.boxes[c.part.Owner(v)].add(&c.Outboxes.format, visits, &message{at: v})
}

// send sends a walker to a part.
func (c *movement) send(k kind, to int, w *walker) {
	c.boxes[to].add(&c.Outboxes.format, k, &w.message)
}

// leave sends a walker to the part that has the row of its vertex.
func (c *movement) leave(k kind, i uint8) {
	w := &c.group.walkers[i]
	c.send(k, c.part.Owner(w.at), w)
	c.group.free.push(i)
}

// reject lets a walker make the next try.
func (c *movement) reject(i uint8) {
	c.group.walkers[i].slot++
	c.group.ready.push(i)
}
