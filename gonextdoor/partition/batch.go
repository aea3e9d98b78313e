package partition

import (
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
)

// batch has walkers of a turn whose rows are in one graph, in the form that the stages of the CPU engine read. A stepper makes a
// step or a try of each. Before, Key and Term have its word, Vertex its row, and Previous the vertex before, or the root.
// Afterwards:
//
//	Accepted[k]    the outcome
//	Candidate[k]   the vertex to which the walker moves; graph.None at a dead end
//	Edge[k]        the position of the edge, or graph.NoEdge, if edges are recorded
type batch struct {
	stage.Walkers
	of   [plan.Group]uint8 // by walker: its place in the group
	step [plan.Group]int   // by walker: the number of steps that it has made
}

// The outcomes of a step or a try. Stages set the first two.
const (
	rejected  = iota // the walker makes another try
	accepted         // it moves
	last             // it moves, and its walk ends
	undecided        // an edge between Previous and Candidate decides whether it moves
	elsewhere        // the stepper has handled it
	outcomes
)

// advance makes a step or a try of walkers that are ready at rows of one graph.
func (c *Cohort) advance(r *rows, ready []uint8) {
	g, b := c.group, &c.group.batch
	// 1. Load the walkers, but for those that have no try left.
	n := 0
	for _, i := range ready {
		w := &g.walkers[i]
		if c.tries != nil && uint64(w.slot&255) >= c.tries(r, w.row) {
			c.scan(i)
			continue
		}
		b.of[n], b.step[n] = i, int(w.step())
		b.Key[n], b.Term[n] = uint64(w.key), stage.Term(uint64(w.slot))
		b.Vertex[n], b.Previous[n] = w.row, w.prev
		n++
	}
	if n == 0 {
		return
	}
	// 2. Make their steps or tries. Tables.Prefetch has no effect on a part, since only now are the rows known.
	stage.PrefetchRecords(r.tables.Indptr, b.Vertex[:n])
	c.stepper(c, r, n)
	// 3. Handle the walkers by outcome, so that few branches depend on it.
	for outcome := range g.outcomes {
		g.outcomes[outcome].size = 0
	}
	for k, outcome := range b.Accepted[:n] {
		g.outcomes[outcome].push(uint8(k))
	}
	for _, k := range g.outcomes[rejected].all() {
		c.reject(b.of[k])
	}
	for _, k := range g.outcomes[accepted].all() {
		c.move(b.of[k], b.Candidate[k], b.Edge[k], false)
	}
	for _, k := range g.outcomes[last].all() {
		c.move(b.of[k], b.Candidate[k], b.Edge[k], true)
	}
	for _, k := range g.outcomes[undecided].all() {
		w := &g.walkers[b.of[k]]
		w.candidate, w.position = b.Candidate[k], b.Edge[k]
		c.lookUp(b.of[k])
	}
	if g.asking.size > 0 {
		c.askAhead(r)
	}
}
