package rowaccess

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

// Unbounded is the value at which bounds of a number of words saturate. It exceeds any memory.
const Unbounded = 1 << 40

// Selection is the rule by which a transit chooses its edges.
type Selection int

// The selections. The weighted form of each of the first six is its number plus 1, on which Choices relies. Take and Among
// call the selector of each.
const (
	Permute       Selection = iota // uniformly at random, without replacement: selector.PermuteAt
	Successive                     // by weight, without replacement: selector.SuccessiveAt
	Uniform                        // uniformly at random, with replacement: rng.Below
	Alias                          // by weight, with replacement: selector.Alias
	Labor                          // by the numbers of the end points, uniformly: selector.SmallestAt
	WeightedLabor                  // by the numbers of the end points and by weight: selector.SmallestRatiosAt
	LaborPoisson                   // by the numbers of the end points, as many as there are: selector.Poisson
)

// Choices chooses up to fanout edges per transit, as package app defines them. Call Set or SetLabor before Take, or SetTemporal
// before TakeTemporal. It serves one thread and keeps its scratch memory between calls.
type Choices struct {
	Graph   *graph.Graph
	Slots   []index.AliasSlot // alias table; nil unless edges are chosen by weight from the rows of the graph
	Way     Selection
	Dated   *index.TimeRows // rows ordered by time, of which a range is eligible; nil: the rows of the graph
	latest  bool            // choose the last edges of that range
	shared  labor           // of choices by the numbers of end points
	Scratch selector.Scratch
	ahead   [plan.Ahead]uint64 // scratch memory of Prefetch: positions to prefetch
}

// Set prepares choices from the rows of g. Weighted choices need the alias table of g.
func (c *Choices) Set(g *graph.Graph, replace bool, weighted app.Weighted) {
	c.Graph, c.Slots, c.Way, c.Dated, c.latest = g, nil, Permute, nil, false
	if replace {
		c.Way = Uniform
	}
	if weighted == app.Yes {
		c.Slots = index.AliasOf(g)
		c.Way++
	}
}

// SetTemporal prepares choices from ranges of rows ordered by time. If latest is true, the last edges of the range are
// chosen.
func (c *Choices) SetTemporal(g *graph.Graph, rows *index.TimeRows, replace bool, weighted app.Weighted, latest bool) {
	c.Set(g, replace, app.No)
	if weighted == app.Yes {
		c.Way++
	}
	c.Dated, c.latest = rows, latest
}

// Weighted reports whether edges are chosen by weight.
func (c *Choices) Weighted() bool {
	return c.Way == Successive || c.Way == Alias || c.Way == WeightedLabor
}

// CopyFrom copies the choices of another thread, except for the scratch memory.
func (c *Choices) CopyFrom(other *Choices) {
	scratch, memory := c.Scratch, c.shared.laborScratch
	*c = *other
	c.Scratch, c.shared.laborScratch = scratch, memory
}

// Bound returns the largest number of edges that Take can choose for a transit of this degree. For LaborPoisson it is the
// largest number of edges to expect.
func (c *Choices) Bound(fanout, degree uint64) uint64 {
	if (c.Way == Uniform || c.Way == Alias) && degree > 0 {
		return fanout
	}
	return min(fanout, degree)
}

// Most returns an upper bound of the total number of edges that Take chooses for the nodes, at most Unbounded.
func (c *Choices) Most(rows *Rows, fanout uint64, nodes []uint32) int {
	sum := uint64(0)
	for first := 0; first < len(nodes); first += plan.Block {
		end := min(first+plan.Block, len(nodes))
		rows.Prefetch(nodes[end:min(end+plan.Block, len(nodes))])
		for _, u := range nodes[first:end] {
			_, degree := rows.Of(u)
			sum = min(sum+c.Bound(fanout, degree), Unbounded)
		}
	}
	return int(sum)
}

// Take writes the positions of the chosen edges to dst, which must have at least Bound elements, and returns their number.
// first and degree describe the transit's row.
func (c *Choices) Take(key rng.Key, fanout, first, degree uint64, dst []uint64) int {
	switch c.Way {
	case Labor, WeightedLabor:
		return c.takeLabor(fanout, first, degree, dst)
	case Permute:
		return selector.PermuteAt(key, fanout, degree, first, dst, &c.Scratch)
	case Successive:
		var row []index.AliasSlot
		if degree > fanout {
			row = c.Row(key, first, degree)
		}
		return selector.SuccessiveAt(key, fanout, row, c.Graph.Biases[first:first+degree], first, dst, &c.Scratch)
	case Uniform:
		if degree == 0 {
			return 0
		}
		for i := range fanout {
			r, _ := rng.Below(key.Word(i), degree)
			dst[i] = first + r
		}
	default:
		row := c.Row(key, first, degree)
		if len(row) == 0 {
			return 0
		}
		for i := range fanout {
			dst[i] = first + uint64(selector.Alias(key.Word(i), row))
		}
	}
	return int(fanout)
}

// Among chooses among n consecutive edges of a row ordered by time. It writes their indices within these to dst and returns
// their number. sums are the prefix sums of their biases, each with the sum before them added; nil means uniformly at random.
func (c *Choices) Among(key rng.Key, fanout, n, before uint64, sums, dst []uint64) int {
	switch {
	case n == 0:
		return 0
	case c.latest:
		return latest(fanout, n, before, sums, dst)
	case c.Way == Successive:
		return selector.SuccessiveSums(key, fanout, before, sums, dst, &c.Scratch)
	case c.Way == Permute:
		return selector.PermuteAt(key, fanout, n, 0, dst, &c.Scratch)
	case c.Way == Alias && sums[n-1] == before:
		return 0
	}
	if sums != nil {
		selector.FindSums(key, 0, before, sums, dst[:fanout])
		return int(fanout)
	}
	for i := range fanout {
		dst[i], _ = rng.Below(key.Word(i), n)
	}
	return int(fanout)
}

// Row returns the alias slots of the row at first, or nil if all its biases are 0. It reads only the slot of the first
// draw, which Prefetch has prefetched: in a row without biases, every slot holds None.
func (c *Choices) Row(key rng.Key, first, degree uint64) []index.AliasSlot {
	row := c.Slots[first : first+degree]
	if degree > 0 {
		if i, _ := rng.Below(key.Word(0), degree); row[i].Vertex == graph.None {
			return nil
		}
	}
	return row
}

// Prefetch prefetches the memory that Take reads first: the beginning of the row for choices by the numbers of end points, the
// alias slots of the first draws for weighted ones. It computes their random words, and Take computes
// them again, which costs less than one cache miss.
func (c *Choices) Prefetch(key rng.Key, fanout, first, degree uint64) {
	if c.Way >= Labor {
		c.prefetchLabor(first, degree)
		return
	}
	if c.Slots == nil || degree == 0 {
		return
	}
	if c.Way == Successive && degree <= fanout { // Take returns all edges that have a bias, so it reads the biases
		for i := uint64(0); i < min(degree, plan.Ahead); i += 16 {
			c.ahead[i/16] = first + i
		}
		stage.PrefetchIndices(unsafe.SliceData(c.Graph.Biases), c.ahead[:(min(degree, plan.Ahead)+15)/16])
		return
	}
	n := min(fanout, plan.Ahead)
	for i := range n {
		r, _ := rng.Below(key.Word(i), degree)
		c.ahead[i] = first + r
	}
	stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(c.Slots)), c.ahead[:n])
}
