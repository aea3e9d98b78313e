package growth

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// chooser makes one pick for each of many transits. It is the fast form of program.StepProgram's choice for walkers.
type chooser struct {
	run       *programRun
	hooks     *hookCaller
	biased    *biasedChooser // nil unless the method is oneByBias
	slots     []uint64       // Alias: position of the drawn slot in the alias table, or graph.NoEdge
	fractions []uint32       // Alias: selects the slot's edge or its alias
}

// newChooser returns a chooser for up to n transits. It overwrites scratch, which has capacity for n choices.
func newChooser(r *programRun, hooks *hookCaller, scratch *columns, n int) *chooser {
	q := &chooser{run: r, hooks: hooks}
	switch r.method {
	case oneByBias:
		q.biased = newBiasedChooser(r, hooks, scratch, n)
	case oneByAlias:
		q.slots, q.fractions = make([]uint64, n), make([]uint32, n)
	}
	return q
}

// choose picks a candidate for each of n transits. It writes the position of the edge to column edge and its end point to
// dst, or graph.NoEdge and graph.None if there is no candidate. first is the slot of each choice's first word. The caller
// should have prefetched the elements of Indptr for the transits.
func (q *chooser) choose(c *columns, n int, first uint64) {
	switch q.run.method {
	case byNext:
		q.hooks.nextIntoDst(c, n)
	case oneByBias:
		q.biased.choose(c, n, first)
	case oneByAlias:
		q.byAlias(c, n, first)
	default:
		q.uniform(c, n, first)
	}
}

// uniform picks by selector.Uniform.
func (q *chooser) uniform(c *columns, n int, first uint64) {
	indptr, indices := q.run.graph.Indptr, q.run.graph.Indices
	// 1. Draw the edges group by group, and prefetch their end points.
	for lo := 0; lo < n; lo += plan.Group {
		hi := min(lo+plan.Group, n)
		for i := lo; i < hi; i++ {
			v := c.transit[i]
			row, end := indptr[v], indptr[v+1]
			at, _ := rng.Below(rng.Key(c.key[i]).Word(first), end-row)
			c.edge[i] = row + at
			if row == end {
				c.edge[i] = graph.NoEdge
			}
		}
		stage.PrefetchIndices(unsafe.SliceData(indices), c.edge[lo:hi])
	}
	// 2. Read the end points.
	for i, edge := range c.edge[:n] {
		c.dst[i] = graph.None
		if edge != graph.NoEdge {
			c.dst[i] = indices[edge]
		}
	}
}

// byAlias picks by selector.Alias.
func (q *chooser) byAlias(c *columns, n int, first uint64) {
	fractions, slots := q.fractions[:n], q.slots[:n]
	// 1. Draw the alias slots group by group, and prefetch them. Column edge holds the start of the row until step 2.
	for lo := 0; lo < n; lo += plan.Group {
		hi := min(lo+plan.Group, n)
		for i := lo; i < hi; i++ {
			row, end := q.run.graph.Row(c.transit[i])
			at, fraction := rng.Below(rng.Key(c.key[i]).Word(first), end-row)
			slots[i], fractions[i], c.edge[i] = row+at, fraction, row
			if row == end {
				slots[i] = graph.NoEdge
			}
		}
		stage.PrefetchSlots(buffer.Pointer(q.run.aliases), slots[lo:hi])
	}
	// 2. Select the slot's edge or its alias.
	for i, at := range slots {
		row := c.edge[i]
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None
		if at == graph.NoEdge {
			continue
		}
		switch s := &q.run.aliases[at]; {
		case s.Vertex == graph.None: // no edge of the row has a bias
		case fractions[i] < s.Threshold:
			c.edge[i], c.dst[i] = at, s.Vertex
		default:
			c.edge[i], c.dst[i] = row+uint64(s.AliasPosition), s.AliasVertex
		}
	}
}
