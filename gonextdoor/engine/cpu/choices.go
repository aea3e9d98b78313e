package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// way is how a transit takes its edges.
type way int

const (
	permute    way = iota // without replacement
	successive            // the same, weighted
	uniform               // with replacement
	alias                 // the same, weighted
)

// choices takes up to fanout edges of one transit after another. It is app.choices, of rows that lie in the graph.
type choices struct {
	g       *graph.Graph
	slots   []index.AliasSlot
	way     way
	dated   *index.TimeRows // the rows in order of time, of which a beginning is chosen from; nil: the graph's own
	latest  bool            // the end of that beginning is taken
	scratch selector.Scratch
	ahead   [plan.Ahead]uint64 // positions of the slots that the next choices read
}

func (c *choices) set(g *graph.Graph, replace bool, weighted app.Weighted) {
	c.g, c.slots, c.way, c.dated, c.latest = g, nil, permute, nil, false
	if replace {
		c.way = uniform
	}
	if weighted == app.Yes {
		c.slots = index.AliasOf(g)
		c.way++
	}
}

// setBefore is set for choices from rows in order of time.
func (c *choices) setBefore(g *graph.Graph, rows *index.TimeRows, replace bool, weighted app.Weighted, latest bool) {
	c.set(g, replace, app.No)
	if weighted == app.Yes {
		c.way++
	}
	c.dated, c.latest = rows, latest
}

func (c *choices) weighted() bool { return c.way == successive || c.way == alias }

// bound is the most edges that a transit of this degree can take.
func (c *choices) bound(fanout, degree uint64) uint64 {
	if c.way >= uniform && degree > 0 {
		return fanout
	}
	return min(fanout, degree)
}

// most is a number of edges that nodes cannot pass together, or farthest.
func (c *choices) most(rows *rows, fanout uint64, nodes []uint32) int {
	sum := uint64(0)
	for first := 0; first < len(nodes); first += plan.Block {
		end := min(first+plan.Block, len(nodes))
		rows.prefetch(nodes[end:min(end+plan.Block, len(nodes))])
		for _, u := range nodes[first:end] {
			_, degree := rows.of(u)
			sum = min(sum+c.bound(fanout, degree), farthest)
		}
	}
	return int(sum)
}

// take writes the positions of the chosen edges to dst, which has room for bound of them, and gives their number.
func (c *choices) take(key rng.Key, fanout, first, degree uint64, dst []uint64) int {
	if c.dated != nil {
		return c.takeBefore(key, fanout, first, degree, dst)
	}
	switch c.way {
	case permute:
		return selector.PermuteAt(key, fanout, degree, first, dst, &c.scratch)
	case successive:
		var row []index.AliasSlot
		if degree > fanout {
			row = c.row(key, first, degree)
		}
		return selector.SuccessiveAt(key, fanout, row, c.g.Biases[first:first+degree], first, dst, &c.scratch)
	case uniform:
		if degree == 0 {
			return 0
		}
		for i := range fanout {
			r, _ := rng.Below(key.Word(i), degree)
			dst[i] = first + r
		}
	default:
		row := c.row(key, first, degree)
		if len(row) == 0 {
			return 0
		}
		for i := range fanout {
			dst[i] = first + uint64(selector.Alias(key.Word(i), row))
		}
	}
	return int(fanout)
}

// row is index.AliasRow of the row at first. It reads the slot of the first draw, which prefetch asked for: where no edge
// has a bias, every slot leads to None.
func (c *choices) row(key rng.Key, first, degree uint64) []index.AliasSlot {
	row := c.slots[first : first+degree]
	if degree > 0 {
		if i, _ := rng.Below(key.Word(0), degree); row[i].Vertex == graph.None {
			return nil
		}
	}
	return row
}

// prefetch asks for the alias slots that a transit's first draws will read; the words are drawn twice, which costs less
// than one slot that is waited for.
func (c *choices) prefetch(key rng.Key, fanout, first, degree uint64) {
	if c.slots == nil || degree == 0 {
		return
	}
	if c.way == successive && degree <= fanout { // the whole row is taken, but for edges without a bias
		for i := uint64(0); i < min(degree, plan.Ahead); i += 16 {
			c.ahead[i/16] = first + i
		}
		stage.PrefetchIndices(unsafe.SliceData(c.g.Biases), c.ahead[:(min(degree, plan.Ahead)+15)/16])
		return
	}
	n := min(fanout, plan.Ahead)
	for i := range n {
		r, _ := rng.Below(key.Word(i), degree)
		c.ahead[i] = first + r
	}
	stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(c.slots)), c.ahead[:n])
}
