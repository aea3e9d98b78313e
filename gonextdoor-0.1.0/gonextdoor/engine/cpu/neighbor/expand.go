package neighbor

import (
	"math"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// expansion is one hop along one relation. Each edge passes through a pipeline of three stages:
//
//  1. chosen: its position is known.
//  2. gathered: its end point, a vertex, is read.
//  3. numbered: the vertex is replaced by its local id, and the position by the edge id.
//
// Each stage prefetches the memory that the next one reads. The stages alternate every few edges, and each trails the previous
// one by up to plan.Lag edges, so that cache misses overlap.
type expansion struct {
	chooser edgeChooser
	arrays  edgeArrays
	reader  edgeReader
	sources *nodeSet // of the ends of edges; nil: edges are not numbered

	chosen, gathered, numbered int // edges that have passed each stage
}

// edgeArrays is the memory that an expansion writes, past the edges of earlier hops. All slices but indptr have one
// length and are indexed by edge.
type edgeArrays struct {
	lists        edgeLists
	positions    []uint64 // replaced by edge ids in stage 3
	ends         []int64  // vertices in stage 2, replaced by local ids in stage 3
	destinations []int64  // COO only
	indptr       []int64  // CSC only: one offset per node of the frontier, and the first, which is 0
	trees        []uint32 // the tree of each edge, not in the arena
	disjoint     bool     // trees are written
}

// run executes the pipeline and returns the number of edges. A stopped job ends it between two groups. Without sources, edges are
// not numbered: their ends remain vertices, and only their positions are replaced by edge ids.
func (x *expansion) run(j *job.Job) (int, error) {
	c := &x.chooser
	c.begin()
	x.arrays.locate()
	if x.arrays.indptr != nil {
		x.arrays.indptr[0] = 0
	}
	c.prefetchFirst()
	for done := 0; done < len(c.vertices); done += plan.NodeGroup {
		if err := j.Err(); err != nil {
			return 0, err
		}
		// 1. Choose the edges of a group.
		c.rows.Prefetch(c.group(done + plan.RowsAhead))
		if err := x.reserve(done); err != nil {
			return 0, err
		}
		x.choose(done)
		// 2. Gather and number those that were prefetched long enough ago.
		if x.sources == nil {
			x.read(x.chosen - plan.Lag)
		} else if err := x.gather(x.chosen - plan.Lag); err != nil {
			return 0, err
		}
	}
	// 3. Drain the pipeline.
	if x.sources == nil {
		x.read(x.chosen)
		return x.chosen, nil
	}
	if err := x.gather(x.chosen); err != nil {
		return 0, err
	}
	return x.chosen, x.number(x.chosen)
}

// reserve ensures capacity for the edges of the group after done nodes. It reads their degrees only if fan-out times nodes does
// not fit. If degrees do not bound the number of edges, it chooses the edges.
func (x *expansion) reserve(done int) error {
	c := &x.chooser
	nodes, most := c.group(done), 0
	left := len(x.arrays.ends) - x.chosen - expandSlack
	switch {
	case c.unbounded():
		most = c.drawGroup(done)
	case c.fanout <= math.MaxUint32 && int(c.fanout)*len(nodes) <= left:
		return nil
	default:
		most = c.choices.Most(c.rows, c.fanout, nodes)
	}
	if most <= left {
		return nil
	}
	err := x.arrays.lists.reserve(x.chosen, most+expandSlack)
	x.arrays.locate()
	return err
}

// locate updates the slices after the lists have moved.
func (a *edgeArrays) locate() {
	a.positions, a.ends, a.destinations = a.lists.unused()
	if a.disjoint && len(a.trees) < len(a.ends) {
		a.trees = slices.Grow(a.trees, len(a.ends)-len(a.trees))[:len(a.ends)]
	}
	if a.lists.indptr >= 0 {
		a.indptr = a.lists.arena.used(a.lists.indptr)
	}
}

// choose is stage 1 for the group after done nodes.
func (x *expansion) choose(done int) {
	c, a, first := &x.chooser, &x.arrays, x.chosen
	// 1. Choose, and store the end of the edges of each node.
	nodes := len(c.group(done))
	ends := c.block.ends[:nodes]
	if a.indptr != nil {
		ends = a.indptr[done+1:][:nodes]
	}
	x.chosen = c.choose(done, a.positions, first, ends)
	// 2. Write the other coordinates of the edges.
	if a.destinations != nil {
		most := c.fanout // edges of a destination
		if c.unbounded() {
			most = math.MaxUint64
		}
		expandOffsets(a.destinations, first, ends, int64(c.first+done), most)
	}
	if a.disjoint {
		a.writeTrees(first, ends, c.trees[done:])
	}
	// 3. Prefetch the end points and the ids.
	positions := a.positions[first:x.chosen]
	stage.PrefetchIndices(x.reader.indices, positions)
	x.reader.ids.Prefetch(positions)
}

// writeTrees writes the tree of each edge from index first on. The edges of each node end at ends.
func (a *edgeArrays) writeTrees(first int, ends []int64, trees []uint32) {
	for i, end := range ends {
		of := a.trees[first:end]
		for j := range of {
			of[j] = trees[i]
		}
		first = int(end)
	}
}

// treesOf returns the trees of a range of edges; nil unless trees are disjoint.
func (a *edgeArrays) treesOf(first, end int) []uint32 {
	if !a.disjoint {
		return nil
	}
	return a.trees[first:end]
}

// gather is stage 2 for the edges before end. Stage 3 trails it by plan.Lag edges.
func (x *expansion) gather(end int) error {
	a := &x.arrays
	for x.gathered < end {
		now, next := x.gathered, min(x.gathered+plan.Lag, end)
		x.sources.ids.Gather(x.reader.indices, a.positions[now:next], a.ends[now:next], a.treesOf(now, next))
		x.gathered = next
		if err := x.number(next - plan.Lag); err != nil {
			return err
		}
	}
	return nil
}

// number is stage 3 for the edges before end.
func (x *expansion) number(end int) error {
	if x.numbered >= end {
		return nil
	}
	a := &x.arrays
	err := x.sources.discover(a.ends[x.numbered:end], a.treesOf(x.numbered, end))
	x.reader.ids.Replace(a.positions[x.numbered:end])
	x.numbered = end
	return err
}

// numberGathered numbers the end points of a range of edges, plan.Lag at a time, and prefetches the id map for the next ones.
func (x *expansion) numberGathered(first, end int) error {
	a, sources := &x.arrays, x.sources
	prefetch := func(from int) {
		if to := min(from+plan.Lag, end); from < to {
			sources.ids.Prefetch(a.ends[from:to], a.treesOf(from, to))
		}
	}
	for prefetch(first); first < end; first += plan.Lag {
		prefetch(first + plan.Lag)
		next := min(first+plan.Lag, end)
		if err := sources.discover(a.ends[first:next], a.treesOf(first, next)); err != nil {
			return err
		}
	}
	return nil
}

// read is stage 2 and the edge ids of stage 3 for the edges before end. It does not use the id map, so the threads of a
// parallel expansion may run it concurrently.
func (x *expansion) read(end int) {
	if x.gathered >= end {
		return
	}
	positions, ends := x.arrays.positions[x.gathered:end], x.arrays.ends[x.gathered:end]
	for i, at := range positions {
		ends[i] = int64(*(*uint32)(unsafe.Add(unsafe.Pointer(x.reader.indices), at*4)))
	}
	x.reader.ids.Replace(positions)
	x.gathered = end
}
