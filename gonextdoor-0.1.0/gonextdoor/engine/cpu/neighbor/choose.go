package neighbor

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// frontier is a range of the nodes of one type, whose edges a hop samples.
type frontier struct {
	vertices []uint32
	trees    []uint32 // the tree of each; nil unless trees are disjoint
	first    int      // local id of the first
}

// group returns the vertices of the group that starts after done of them: plan.NodeGroup, or fewer at the end.
func (f *frontier) group(done int) []uint32 {
	return f.vertices[min(done, len(f.vertices)):min(done+plan.NodeGroup, len(f.vertices))]
}

// sameTree reports whether two nodes belong to one tree.
func (f *frontier) sameTree(i, j int) bool { return f.trees == nil || f.trees[i] == f.trees[j] }

// slice returns the part of the frontier from first to end.
func (f *frontier) slice(first, end int) frontier {
	part := frontier{vertices: f.vertices[first:end], first: f.first + first}
	if f.trees != nil {
		part.trees = f.trees[first:end]
	}
	return part
}

// edgeChooser chooses the edges of a frontier, as positions. It has three forms with equal results:
//
//   - node by node, for every kind of choice whose number of edges is bounded in advance (chooseEach); otherwise drawGroup
//     chooses a group before memory is reserved,
//   - all picks of a node in AVX-512 registers, for uniform choices without replacement (chooseVector),
//   - runs of the vector form between nodes that it does not support (chooseRuns).
type edgeChooser struct {
	frontier
	*edgeScratch // of the thread
	rows         *rowaccess.Rows
	excluded     *exclusions
	stream       rng.Stream // of the hop
	keys         []rng.Key  // of each node; nil: derived from stream, the tree and the vertex
	fanout       uint64
	seeds        *app.SeedNodes // the periods of the trees; temporal choices only
	treeStream   treeStream
	vector       bool       // choose by stage.PermuteRows
	vectorRows   stage.Rows // its arguments
}

// treeStream is the stream of a tree. Consecutive nodes often belong to the same tree.
type treeStream struct {
	tree   uint32
	stream rng.Stream
	known  bool
}

// begin selects the form. The first group is prepared by prefetchFirst.
func (c *edgeChooser) begin() {
	r, choices := c.rows, &c.choices
	c.vector = stage.CanPermute() && !c.noAVX512 && c.keys == nil && choices.Way == rowaccess.Permute && choices.Dated == nil &&
		r.Records != nil && c.fanout <= stage.MaxPermuted
	if c.vector { // without records, Base would be an invalid pointer, which the runtime rejects when it copies a stack
		c.vectorRows = stage.Rows{
			Records: index.Packed{Records: r.Records}.Base(), Edges: r.Edges, Stream: uint64(c.stream), Fanout: c.fanout,
		}
	}
}

// prefetchFirst prefetches the rows of the first nodes and prepares the first group.
func (c *edgeChooser) prefetchFirst() {
	c.rows.Prefetch(c.vertices[:min(plan.RowsAhead, len(c.vertices))])
	if !c.vector {
		c.prepare(0)
	}
}

// choose chooses the edges of the group after done nodes. It writes their positions to dst from index chosen on, writes the
// number of edges up to and including each node to ends, and returns the number after the group. dst must be large enough.
func (c *edgeChooser) choose(done int, dst []uint64, chosen int, ends []int64) int {
	switch {
	case c.unbounded():
		return c.takeGroup(dst, chosen, ends)
	case !c.vector:
		return c.chooseEach(done, dst, chosen, ends)
	case c.trees == nil && c.excluded.empty():
		return c.chooseVector(c.group(done), dst, chosen, ends)
	default:
		return c.chooseRuns(done, dst, chosen, ends)
	}
}

// chooseVector is choose for nodes of one stream without excluded edges, by stage.PermuteRows. PermuteRows stops at a node
// that drew an edge twice, which selector.Settle completes.
func (c *edgeChooser) chooseVector(nodes []uint32, dst []uint64, chosen int, ends []int64) int {
	for done := 0; done < len(nodes); done++ {
		done += stage.PermuteRows(&c.vectorRows, nodes[done:], unsafe.SliceData(dst), &ends[done], int64(chosen))
		if done > 0 {
			chosen = int(ends[done-1])
		}
		if done == len(nodes) {
			return chosen
		}
		first, degree := c.rows.Of(nodes[done])
		draws := dst[chosen:][:c.fanout]
		selector.Settle(degree, first, draws)
		chosen += len(draws)
		ends[done] = int64(chosen)
	}
	return chosen
}

// chooseRuns is choose in vector form for nodes of several trees, or with excluded edges: nodes with excluded edges are
// handled one by one, and runs of other nodes of one tree together.
func (c *edgeChooser) chooseRuns(done int, dst []uint64, chosen int, ends []int64) int {
	nodes := c.group(done)
	for first := 0; first < len(nodes); {
		if out := c.excludedOf(nodes[first]); out != nil {
			row, degree := c.rows.Of(nodes[first])
			chosen += c.excluded.take(&c.choices, c.key(done+first), c.fanout, row, degree, out, dst[chosen:])
			ends[first] = int64(chosen)
			first++
			continue
		}
		end := first + 1
		for end < len(nodes) && c.sameTree(done+first, done+end) && c.excludedOf(nodes[end]) == nil {
			end++
		}
		c.vectorRows.Stream = uint64(c.streamOf(done + first))
		chosen = c.chooseVector(nodes[first:end], dst, chosen, ends[first:end])
		first = end
	}
	return chosen
}

// chooseEach is choose for every kind of choice, for a group that prepare has prepared. It prepares the next group.
func (c *edgeChooser) chooseEach(done int, dst []uint64, chosen int, ends []int64) int {
	now, choices := c.block, &c.choices
	c.prepare(done + plan.NodeGroup)
	for i, u := range c.group(done) {
		out, to := c.excludedOf(u), dst[chosen:]
		switch {
		case choices.Dated != nil && out == nil:
			chosen += choices.TakeTemporal(now.keys[i], c.fanout, now.first[i], now.degrees[i], now.before[i], to)
		case choices.Dated != nil:
			chosen += c.excluded.takeTemporal(choices, now.keys[i], c.fanout, now.first[i], now.degrees[i], now.before[i], out, to)
		case out == nil:
			chosen += choices.Take(now.keys[i], c.fanout, now.first[i], now.degrees[i], to)
		default:
			chosen += c.excluded.take(choices, now.keys[i], c.fanout, now.first[i], now.degrees[i], out, to)
		}
		ends[i] = int64(chosen)
	}
	return chosen
}

// excludedOf returns the excluded positions in u's row; nil if there are none.
func (c *edgeChooser) excludedOf(u uint32) []uint64 {
	if c.excluded.empty() {
		return nil
	}
	return c.excluded.in(c.rows.Of(u))
}

// prepare looks up the keys and rows of a group, prefetches the memory that weighted choices read, and reduces the rows of
// temporal choices to the eligible edges.
func (c *edgeChooser) prepare(done int) {
	t := &c.block
	for i, u := range c.group(done) {
		t.keys[i] = c.key(done + i)
		t.first[i], t.degrees[i] = c.rows.Of(u)
		c.choices.Prefetch(t.keys[i], c.fanout, t.first[i], t.degrees[i])
	}
	if c.choices.Dated != nil {
		c.restrict(done, len(c.group(done)))
	}
}

// restrict reduces the n rows of the group after done nodes to the edges in the periods of their trees.
func (c *edgeChooser) restrict(done, n int) {
	rows, t := c.choices.Dated, &c.block
	first, degrees, begins, times := t.first[:n], t.degrees[:n], t.begins[:n], t.times[:n]
	clear(t.before[:n])
	// 1. Count the edges before each period.
	if c.seeds.Windows != nil {
		copy(begins, degrees)
		for i := range n {
			earliest := c.seeds.Earliest(c.trees[done+i])
			if times[i] = earliest - 1; earliest == math.MinInt64 {
				begins[i] = 0 // no edge is before it
			}
		}
		rows.Before(first, begins, times)
	}
	// 2. Count the edges up to its end.
	for i := range n {
		times[i] = c.seeds.Times[c.trees[done+i]]
	}
	rows.Before(first, degrees, times)
	// 3. Move the begin of each row.
	if c.seeds.Windows == nil {
		return
	}
	for i, begin := range begins {
		first[i], degrees[i] = first[i]+begin, degrees[i]-begin
		if begin > 0 && rows.Sums != nil {
			t.before[i] = rows.Sums[first[i]-1]
		}
	}
}

// key returns the key of node i.
func (c *edgeChooser) key(i int) rng.Key {
	if c.keys != nil {
		return c.keys[i]
	}
	return c.streamOf(i).Key(uint64(c.vertices[i]))
}

// streamOf returns the stream of node i: the stream of the hop, or of its tree in the hop if trees are disjoint.
func (c *edgeChooser) streamOf(i int) rng.Stream {
	if c.trees == nil {
		return c.stream
	}
	if tree := c.trees[i]; !c.treeStream.known || c.treeStream.tree != tree {
		c.treeStream = treeStream{tree, c.stream.Key(uint64(tree)).Stream(0), true}
	}
	return c.treeStream.stream
}
