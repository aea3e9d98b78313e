package pagerank

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
)

// visitCount is a slot of visitCounts.
type visitCount struct {
	vertex uint32 // graph.None: a free slot
	last   uint32 // the walk that visited it last
	visits uint32
	walks  uint32 // walks with at least one visit
}

// visitCounts counts the visits of one row's walks, walk by walk. It is a hash table with linear probing, at most half full. It
// keeps its capacity between rows, and reset takes time proportional to the number of entries. It serves one thread.
type visitCounts struct {
	slots []visitCount
	shift uint8
	used  []uint32 // occupied slots
	total int64    // sum of all visits
	walk  uint32   // the walk counted last

	order, spare []uint64 // scratch of sorted
}

// minSlots is the initial capacity.
const minSlots = 1 << 12

// newVisitCounts returns an empty table.
func newVisitCounts() *visitCounts {
	c := &visitCounts{}
	c.allocate(minSlots)
	return c
}

// allocate replaces the slots by n free ones, a power of two.
func (c *visitCounts) allocate(n int) {
	c.slots, c.shift = make([]visitCount, n), 32
	for i := range c.slots {
		c.slots[i].vertex = graph.None
	}
	for ; n > 1; n /= 2 {
		c.shift--
	}
}

// slot returns the slot of v, or the free slot for it.
func (c *visitCounts) slot(v uint32) uint32 {
	mask := uint32(len(c.slots) - 1)
	at := v * 0x9E3779B1 >> c.shift
	for c.slots[at&mask].vertex != v && c.slots[at&mask].vertex != graph.None {
		at++
	}
	return at & mask
}

// add counts the vertices that walks visit, walk by walk. starts is 1 at the first vertex of each walk and 0 elsewhere.
func (c *visitCounts) add(vertices []uint32, starts []uint8) {
	slots, shift, walk := c.slots, c.shift, c.walk
	starts = starts[:len(vertices)]
	for i, v := range vertices {
		walk += uint32(starts[i])
		at := v * 0x9E3779B1 >> (shift & 31)
		e := &slots[at&uint32(len(slots)-1)]
		if e.vertex != v {
			e = c.find(v, ^walk)
			slots, shift = c.slots, c.shift
		}
		e.visits++
		e.walks += differ(e.last, walk)
		e.last = walk
	}
	c.walk = walk
	c.total += int64(len(vertices))
}

// differ returns 1 if a != b, otherwise 0, without a branch: whether a walk revisits a vertex is unpredictable.
func differ(a, b uint32) uint32 {
	d := a ^ b
	return (d | -d) >> 31
}

// find returns the entry of v. If there is none it adds one, with the given last walk.
func (c *visitCounts) find(v, last uint32) *visitCount {
	at := c.slot(v)
	if e := &c.slots[at]; e.vertex == v {
		return e
	}
	return c.insert(v, at, last)
}

// insert occupies a free slot, in a table of twice the size if this one is half full.
func (c *visitCounts) insert(v, at, last uint32) *visitCount {
	if 2*len(c.used) >= len(c.slots) {
		c.grow()
		at = c.slot(v)
	}
	c.used = append(c.used, at)
	e := &c.slots[at]
	*e = visitCount{vertex: v, last: last}
	return e
}

// grow doubles the capacity.
func (c *visitCounts) grow() {
	old := c.slots
	c.allocate(2 * len(old))
	for i, at := range c.used {
		to := c.slot(old[at].vertex)
		c.slots[to], c.used[i] = old[at], to
	}
}

// merge adds the counts of other walks of the same row.
func (c *visitCounts) merge(other *visitCounts) {
	for _, at := range other.used {
		from := other.slots[at]
		e := c.find(from.vertex, 0)
		e.visits += from.visits
		e.walks += from.walks
	}
	c.total += other.total
}

// reset empties the table.
func (c *visitCounts) reset() {
	for _, at := range c.used {
		c.slots[at].vertex = graph.None
	}
	c.used, c.total = c.used[:0], 0
}

// sorted returns the occupied slots as vertex<<32 | slot, sorted by vertex. The next call overwrites them.
func (c *visitCounts) sorted(vertices int) []uint64 {
	c.order = c.order[:0]
	for _, at := range c.used {
		c.order = append(c.order, uint64(c.slots[at].vertex)<<32|uint64(at))
	}
	c.order, c.spare = output.SortByVertex(c.order, c.spare, vertices)
	return c.order
}

// top returns the k slots with the highest scores as vertex<<32 | slot, in descending order of score, then by vertex. unit
// returns the score of one visit to a vertex; nil means 1.
func (c *visitCounts) top(k int, unit func(v uint32) uint64) []uint64 {
	best := output.Best{Most: k}
	for _, at := range c.used {
		e := &c.slots[at]
		score := uint64(e.visits)
		if unit != nil {
			score *= unit(e.vertex)
		}
		if score >= best.Least() {
			best.Offer(output.Scored{Score: score, Vertex: e.vertex, Place: at})
		}
	}
	c.order = c.order[:0]
	for _, s := range best.Sorted() {
		c.order = append(c.order, uint64(s.Vertex)<<32|uint64(s.Place))
	}
	return c.order
}
