package cpu

import (
	"math"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// expansion is one hop along one relation from some nodes. Every edge passes three stages, each of which asks for the
// memory that the next one reads: it is chosen, its end is read, the end gets its local number. The stages run by turns, a
// few edges each and some way behind one another, so that memory is busy all the time.
type expansion struct {
	relation *relation
	endings  endings
	w        *workspace
	met      *met      // of the type of the ends
	excluded *excluded // edges of the relation
	stream   rng.Stream
	fanout   uint64
	nodes    []uint32
	trees    []uint32 // of the nodes, where they are disjoint
	times    []int64  // of the trees, where choices are from rows in order of time
	branch   branch
	first    int // the local number of the first node
	lay      lay

	positions                  []uint64 // of the edges; at the end, their ids
	ends                       []int64  // of the edges; at the end, their local numbers
	destinations               []int64  // of the edges, where they are pairs
	indptr                     []int64  // where they are not
	chosen, gathered, numbered int      // how many edges have passed each stage
	wide                       bool     // by stage.PermuteRows, several draws at once
	wideRows                   stage.Rows
}

// branch is the stream of a tree, kept for the next node, which often is of the same one.
type branch struct {
	tree   uint32
	stream rng.Stream
	known  bool
}

// widen lets stage.PermuteRows choose where it can.
func (x *expansion) widen() {
	r, c := &x.relation.rows, &x.w.choices
	x.wide = stage.CanPermute() && !x.w.narrow && c.way == permute && c.dated == nil && r.records != nil &&
		x.fanout <= stage.MaxPermuted
	if x.wide { // no address is made of records that are not there: stacks that hold such a one do not move
		x.wideRows = stage.Rows{
			Records: index.Packed{Records: r.records}.Base(), Edges: r.edges, Stream: uint64(x.stream), Fanout: x.fanout,
		}
	}
}

// run draws the hop and gives its number of edges. A stopped job ends it between two turns.
func (x *expansion) run(j *job.Job) (int, error) {
	x.widen()
	x.look()
	if x.indptr != nil {
		x.indptr[0] = 0
	}
	x.relation.rows.prefetch(x.nodes[:min(plan.RowsAhead, len(x.nodes))])
	if !x.wide {
		x.prepare(0)
	}
	for done := 0; done < len(x.nodes); done += plan.Turn {
		if err := j.Err(); err != nil {
			return 0, err
		}
		x.relation.rows.prefetch(x.turn(done + plan.RowsAhead))
		if err := x.makeRoom(x.turn(done)); err != nil {
			return 0, err
		}
		x.choose(done)
		if err := x.settle(x.chosen - plan.Lag); err != nil {
			return 0, err
		}
	}
	if err := x.settle(x.chosen); err != nil {
		return 0, err
	}
	return x.chosen, x.number(x.chosen)
}

// turn gives the nodes of the turn that begins behind so many.
func (x *expansion) turn(done int) []uint32 {
	return x.nodes[min(done, len(x.nodes)):min(done+plan.Turn, len(x.nodes))]
}

// spare is how much room there is behind the last edge: see spread.
const spare = 8

// makeRoom makes sure that the edges of some nodes can be written.
func (x *expansion) makeRoom(nodes []uint32) error {
	left := len(x.ends) - x.chosen - spare
	if x.fanout <= math.MaxUint32 && int(x.fanout)*len(nodes) <= left {
		return nil
	}
	most := x.w.choices.most(&x.relation.rows, x.fanout, nodes)
	if most <= left {
		return nil
	}
	err := x.lay.extend(x.chosen, most+spare)
	x.look()
	return err
}

// look finds the arrays where they lie now.
func (x *expansion) look() {
	x.positions, x.ends, x.destinations = x.lay.look()
	if x.trees != nil && len(x.w.origins) < len(x.ends) {
		x.w.origins = slices.Grow(x.w.origins, len(x.ends)-len(x.w.origins))[:len(x.ends)]
	}
	if x.lay.indptr >= 0 {
		x.indptr = x.lay.arena.of(x.lay.indptr)
	}
}

// choose takes the edges of a turn, prepares the next, and notes where the edges of each node end.
func (x *expansion) choose(done int) {
	first, nodes := x.chosen, x.turn(done)
	ends := x.w.block.ends[:len(nodes)]
	if x.indptr != nil {
		ends = x.indptr[done+1:][:len(nodes)]
	}
	switch {
	case !x.wide:
		x.chooseEach(done, ends)
	case x.trees == nil && x.excluded.empty():
		x.chooseWide(nodes, ends)
	default:
		x.chooseRuns(done, ends)
	}
	if x.destinations != nil {
		spread(x.destinations, first, ends, int64(x.first+done), x.fanout)
	}
	if x.trees != nil {
		x.noteTrees(first, ends, x.trees[done:])
	}
	taken := x.positions[first:x.chosen]
	stage.PrefetchIndices(x.endings.indices, taken)
	x.endings.ids.prefetch(taken)
}

// chooseWide takes the edges of nodes by stage.PermuteRows.
func (x *expansion) chooseWide(nodes []uint32, ends []int64) {
	for done := 0; done < len(nodes); done++ {
		done += stage.PermuteRows(&x.wideRows, nodes[done:], unsafe.SliceData(x.positions), &ends[done], int64(x.chosen))
		if done > 0 {
			x.chosen = int(ends[done-1])
		}
		if done == len(nodes) {
			return
		}
		first, degree := x.relation.rows.of(nodes[done]) // this node drew an edge twice
		taken := x.positions[x.chosen:][:x.fanout]
		selector.Settle(degree, first, taken)
		x.chosen += len(taken)
		ends[done] = int64(x.chosen)
	}
}

// chooseRuns is chooseWide for nodes of several trees, some of which may lack edges.
func (x *expansion) chooseRuns(done int, ends []int64) {
	nodes := x.turn(done)
	for first := 0; first < len(nodes); {
		if left := x.left(nodes[first]); left != nil {
			row, degree := x.relation.rows.of(nodes[first])
			key, dst := x.key(done+first), x.positions[x.chosen:]
			x.chosen += x.excluded.takeWithout(&x.w.choices, key, x.fanout, row, degree, left, dst)
			ends[first] = int64(x.chosen)
			first++
			continue
		}
		end := first + 1
		for end < len(nodes) && x.sameTree(done+first, done+end) && x.left(nodes[end]) == nil {
			end++
		}
		x.wideRows.Stream = uint64(x.streamOf(done + first))
		x.chooseWide(nodes[first:end], ends[first:end])
		first = end
	}
}

// chooseEach takes the edges of a turn for every kind of choice, of prepared nodes.
func (x *expansion) chooseEach(done int, ends []int64) {
	now, c := x.w.block, &x.w.choices
	x.prepare(done + plan.Turn)
	for i, u := range x.turn(done) {
		left, dst := x.left(u), x.positions[x.chosen:]
		switch {
		case left == nil:
			x.chosen += c.take(now.keys[i], x.fanout, now.first[i], now.degrees[i], dst)
		case c.dated != nil:
			x.chosen += x.excluded.takeBeforeWithout(c, now.keys[i], x.fanout, now.first[i], now.degrees[i], left, dst)
		default:
			x.chosen += x.excluded.takeWithout(c, now.keys[i], x.fanout, now.first[i], now.degrees[i], left, dst)
		}
		ends[i] = int64(x.chosen)
	}
}

// left gives the positions in u's row that are left out.
func (x *expansion) left(u uint32) []uint64 {
	if x.excluded.empty() {
		return nil
	}
	return x.excluded.in(x.relation.rows.of(u))
}

// prepare finds the rows of a turn, and asks for what weighted choices read of them.
func (x *expansion) prepare(done int) {
	b := &x.w.block
	for i, u := range x.turn(done) {
		b.keys[i] = x.key(done + i)
		b.first[i], b.degrees[i] = x.relation.rows.of(u)
		x.w.choices.prefetch(b.keys[i], x.fanout, b.first[i], b.degrees[i])
	}
	if dated := x.w.choices.dated; dated != nil {
		n := len(x.turn(done))
		for i := range n {
			b.moments[i] = x.times[x.trees[done+i]]
		}
		dated.Before(b.first[:n], b.degrees[:n], b.moments[:n])
	}
}

// key gives the key of node i.
func (x *expansion) key(i int) rng.Key { return x.streamOf(i).Key(uint64(x.nodes[i])) }

// streamOf gives the stream that node i's key is of: the hop's, or where trees are disjoint, the tree's in it.
func (x *expansion) streamOf(i int) rng.Stream {
	if x.trees == nil {
		return x.stream
	}
	if tree := x.trees[i]; !x.branch.known || x.branch.tree != tree {
		x.branch = branch{tree, x.stream.Key(uint64(tree)).Stream(0), true}
	}
	return x.branch.stream
}

func (x *expansion) sameTree(i, j int) bool { return x.trees == nil || x.trees[i] == x.trees[j] }

// noteTrees notes the tree of each edge.
func (x *expansion) noteTrees(first int, ends []int64, trees []uint32) {
	for i, end := range ends {
		of := x.w.origins[first:end]
		for j := range of {
			of[j] = trees[i]
		}
		first = int(end)
	}
}

// treesOf gives the trees of some edges.
func (x *expansion) treesOf(first, end int) []uint32 {
	if x.trees == nil {
		return nil
	}
	return x.w.origins[first:end]
}

// settle reads the ends of the edges before end, and numbers those some way before.
func (x *expansion) settle(end int) error {
	for x.gathered < end {
		now, next := x.gathered, min(x.gathered+plan.Lag, end)
		x.met.numbers.gather(x.endings.indices, x.positions[now:next], x.ends[now:next], x.treesOf(now, next))
		x.gathered = next
		if err := x.number(next - plan.Lag); err != nil {
			return err
		}
	}
	return nil
}

// number gives the edges before end their local numbers and their ids.
func (x *expansion) number(end int) error {
	if x.numbered >= end {
		return nil
	}
	err := x.met.numbers.number(x.ends[x.numbered:end], x.treesOf(x.numbered, end), &x.met.nodes)
	x.endings.ids.put(x.positions[x.numbered:end])
	x.numbered = end
	return err
}
