package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// chooser makes one pick for each of many transits: what app.StepProgram does for walkers.
type chooser struct {
	asker
	tried    columns // proposals of choices that are left
	degree   []uint64
	bounds   []uint64
	levels   []uint64
	biases   []uint64
	place    []uint64 // of alias slots
	fraction []uint32
	left     []uint32 // choices that are not made yet
	unlucky  []uint32 // choices whose tries were all refused
	rows     []uint32 // biases of whole rows
	parts    []part
	reserves []selector.Reserve
}

// part is some edges of a choice's row.
type part struct {
	choice, count int
	offset        uint64
}

func newChooser(h *hooked, n int) chooser {
	c := chooser{asker: newAsker(h, n), tried: newColumns(n)}
	for _, s := range []*[]uint64{&c.degree, &c.bounds, &c.levels, &c.biases, &c.place} {
		*s = make([]uint64, n)
	}
	for _, s := range []*[]uint32{&c.fraction, &c.left, &c.unlucky} {
		*s = make([]uint32, 0, n)
	}
	return c
}

// choose picks a candidate for each of n transits, whose rows were asked for: an edge and where it leads, or NoEdge and
// None. first is the slot of each choice's first word.
func (q *chooser) choose(c *columns, n int, first uint64) {
	switch {
	case q.grows.Next != nil:
		q.nexts(c, n)
		c.dst, q.out = q.out, c.dst
		for i := range c.edge[:n] {
			c.edge[i] = graph.NoEdge
		}
	case q.grows.EdgeBias != nil:
		q.computed(c, n, first)
	case q.slots != nil:
		q.aliased(c, n, first)
	default:
		q.uniform(c, n, first)
	}
}

// uniform picks by Uniform.
func (q *chooser) uniform(c *columns, n int, first uint64) {
	indptr, indices := q.g.Indptr, q.g.Indices
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
	for i, edge := range c.edge[:n] {
		c.dst[i] = graph.None
		if edge != graph.NoEdge {
			c.dst[i] = indices[edge]
		}
	}
}

// aliased picks by Alias.
func (q *chooser) aliased(c *columns, n int, first uint64) {
	fraction, place := q.fraction[:n], q.place[:n]
	for lo := 0; lo < n; lo += plan.Group {
		hi := min(lo+plan.Group, n)
		for i := lo; i < hi; i++ {
			row, end := q.g.Row(c.transit[i])
			at, f := rng.Below(rng.Key(c.key[i]).Word(first), end-row)
			place[i], fraction[i], c.edge[i] = row+at, f, row
			if row == end {
				place[i] = graph.NoEdge
			}
		}
		stage.PrefetchSlots(buffer.Pointer(q.slots), place[lo:hi])
	}
	for i, at := range place {
		row := c.edge[i]
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None
		if at == graph.NoEdge {
			continue
		}
		switch s := &q.slots[at]; {
		case s.Vertex == graph.None: // no edge of the row has a bias
		case fraction[i] < s.Threshold:
			c.edge[i], c.dst[i] = at, s.Vertex
		default:
			c.edge[i], c.dst[i] = row+uint64(s.AliasPosition), s.AliasVertex
		}
	}
}

// computed picks by the hook's biases: by Tries proposals under the bound, then by Reservoir.
func (q *chooser) computed(c *columns, n int, first uint64) {
	q.left, q.unlucky = q.left[:0], q.unlucky[:0]
	for i, v := range c.transit[:n] {
		q.degree[i] = q.g.Degree(v)
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None
		if q.degree[i] > 0 {
			q.left = append(q.left, uint32(i))
		}
	}
	if q.grows.Bound == nil {
		q.unlucky = append(q.unlucky, q.left...)
	} else {
		q.bound(c, n)
		for try := uint64(0); len(q.left) > 0; try++ {
			q.propose(c, n, first+try, try+1)
		}
	}
	q.reservoirs(c, first+selector.MaxTries)
}

// bound asks for the bounds of the choices that are left.
func (q *chooser) bound(c *columns, n int) {
	if len(q.left) == n {
		q.asker.bounds(c, n, q.bounds)
		return
	}
	t := q.gather(c)
	q.asker.bounds(t, len(q.left), q.levels)
	for k, i := range q.left {
		q.bounds[i] = q.levels[k]
	}
}

// gather gives columns of the choices that are left.
func (q *chooser) gather(c *columns) *columns {
	t := &q.tried
	t.step, t.roots, t.views = c.step, c.roots, c.views
	for k, i := range q.left {
		t.take(k, c, int(i))
		t.words[k] = c.words[i]
	}
	return t
}

// propose has a candidate weighed for each choice that is left; it stays left if that is refused, up to its Tries.
func (q *chooser) propose(c *columns, n int, slot, tries uint64) {
	t, m := c, len(q.left)
	if tries > 1 || m < n {
		t = q.gather(c)
	}
	for k, i := range q.left {
		at, level := selector.Propose(rng.Key(t.key[k]).Word(slot), q.degree[i], q.bounds[i])
		t.edge[k], q.levels[k] = q.g.Indptr[t.transit[k]]+at, level
	}
	stage.PrefetchIndices(unsafe.SliceData(q.g.Indices), t.edge[:m])
	for k, edge := range t.edge[:m] {
		t.dst[k] = q.g.Indices[edge]
	}
	q.weigh(t, m, q.biases)
	left := 0
	for k, i := range q.left {
		switch bias := q.biases[k]; {
		case bias > q.bounds[i] && q.fault(t.row[k], c.step, hook.AboveBound):
		case bias > q.levels[k]:
			c.edge[i], c.dst[i] = t.edge[k], t.dst[k]
			continue
		}
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None // t may be c itself
		if tries < app.Tries(q.degree[i]) {
			q.left[left] = i
			left++
		} else {
			q.unlucky = append(q.unlucky, i)
		}
	}
	q.left = q.left[:left]
}

// fault notes what a user's app did wrong, and is true.
func (h *hooked) fault(row uint64, step int, kind hook.Kind) bool {
	if h.grows.Faults != nil {
		h.grows.Faults.Note(h.first+row, step, kind)
	}
	return true
}
