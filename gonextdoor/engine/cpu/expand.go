package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// block holds the transits that are expanded together.
type block struct {
	keys           [plan.Turn]rng.Key
	first, degrees [plan.Turn]uint64
}

// expansion is one hop from all of a workspace's nodes. Every edge passes three stages, each of which asks for the memory
// that the next one reads: it is chosen, its end is read, the end gets its local number. The stages run by turns, a few
// edges each and some way behind one another, so that memory is busy all the time.
type expansion struct {
	p                          *Workspaces
	w                          *workspace
	stream                     rng.Stream
	fanout                     uint64
	nodes                      []uint32
	indptr                     []int64
	positions                  []uint64 // of the edges; at the end, their ids
	ends                       []int64  // of the edges; at the end, their local numbers
	chosen, gathered, numbered int      // how many edges have passed each stage
	wide                       bool     // by stage.PermuteRows, several draws at once
	wideRows                   stage.Rows
}

// widen lets stage.PermuteRows choose where it can.
func (x *expansion) widen() {
	r := &x.p.rows
	x.wide = stage.CanPermute() && x.w.choices.way == permute && r.records != nil && x.fanout <= stage.MaxPermuted && x.w.excluded.empty()
	x.wideRows = stage.Rows{
		Records: graph.Packed{Records: r.records}.Base(), Edges: r.edges, Stream: uint64(x.stream), Fanout: x.fanout,
	}
}

// run draws the hop and gives its number of edges. A stopped job ends it between two turns.
func (x *expansion) run(j *job.Job) (int, error) {
	x.widen()
	x.indptr[0] = 0
	x.p.rows.prefetch(x.nodes[:min(plan.RowsAhead, len(x.nodes))])
	if !x.wide {
		x.prepare(x.turn(0))
	}
	for done := 0; done < len(x.nodes); done += plan.Turn {
		if err := j.Err(); err != nil {
			return 0, err
		}
		x.p.rows.prefetch(x.turn(done + plan.RowsAhead))
		x.choose(x.turn(done), x.turn(done+plan.Turn), x.indptr[done+1:])
		x.settle(x.chosen - plan.Lag)
	}
	x.settle(x.chosen)
	x.number(x.chosen)
	return x.chosen, nil
}

// turn gives the nodes of the turn that begins behind so many.
func (x *expansion) turn(done int) []uint32 {
	return x.nodes[min(done, len(x.nodes)):min(done+plan.Turn, len(x.nodes))]
}

// choose takes the edges of a few nodes, and prepares the next.
func (x *expansion) choose(nodes, next []uint32, indptr []int64) {
	first := x.chosen
	if x.wide {
		x.chooseWide(nodes, indptr)
	} else {
		x.chooseEach(nodes, next, indptr)
	}
	taken := x.positions[first:x.chosen]
	stage.PrefetchIndices(unsafe.SliceData(x.p.g.Indices), taken)
	prefetchIDs(x.p.g, taken)
}

// chooseWide is choose by stage.PermuteRows.
func (x *expansion) chooseWide(nodes []uint32, indptr []int64) {
	for done := 0; done < len(nodes); done++ {
		done += stage.PermuteRows(&x.wideRows, nodes[done:], unsafe.SliceData(x.positions), &indptr[done], int64(x.chosen))
		if done > 0 {
			x.chosen = int(indptr[done-1])
		}
		if done == len(nodes) {
			return
		}
		first, degree := x.p.rows.of(nodes[done]) // this node drew an edge twice
		taken := x.positions[x.chosen:][:x.fanout]
		selector.Settle(degree, first, taken)
		x.chosen += len(taken)
		indptr[done] = int64(x.chosen)
	}
}

// chooseEach is choose for every kind of choice, of prepared nodes.
func (x *expansion) chooseEach(nodes, next []uint32, indptr []int64) {
	now, c := x.w.block, &x.w.choices
	x.prepare(next)
	for i, u := range nodes {
		if left := x.w.excluded.of(u); left != nil {
			x.chosen += x.w.excluded.takeWithout(c, now.keys[i], x.fanout, u, left, x.positions[x.chosen:])
		} else {
			x.chosen += c.take(now.keys[i], x.fanout, now.first[i], now.degrees[i], x.positions[x.chosen:])
		}
		indptr[i] = int64(x.chosen)
	}
}

// prepare finds the rows of nodes, and asks for what weighted choices read of them.
func (x *expansion) prepare(nodes []uint32) {
	b := &x.w.block
	for i, u := range nodes {
		b.keys[i] = x.stream.Key(uint64(u))
		b.first[i], b.degrees[i] = x.p.rows.of(u)
		x.w.choices.prefetch(b.keys[i], x.fanout, b.first[i], b.degrees[i])
	}
}

// settle reads the ends of the edges before end, and numbers those some way before.
func (x *expansion) settle(end int) {
	for x.gathered < end {
		next := min(x.gathered+plan.Lag, end)
		x.w.locals.gather(unsafe.SliceData(x.p.g.Indices), x.positions[x.gathered:next], x.ends[x.gathered:next])
		x.gathered = next
		x.number(next - plan.Lag)
	}
}

// number gives the edges before end their local numbers and their ids.
func (x *expansion) number(end int) {
	if x.numbered >= end {
		return
	}
	x.w.nodes = x.w.locals.number(x.ends[x.numbered:end], x.w.nodes)
	toIDs(x.p.g, x.positions[x.numbered:end])
	x.numbered = end
}
