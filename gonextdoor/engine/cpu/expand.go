package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// block holds the transits that are expanded together.
type block struct {
	keys           [plan.Block]rng.Key
	first, degrees [plan.Block]uint64
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
}

// run draws the hop and gives its number of edges.
func (x *expansion) run() int {
	x.indptr[0] = 0
	x.p.rows.prefetch(x.nodes[:min(plan.RowsAhead, len(x.nodes))])
	for done := 0; done < len(x.nodes); done += plan.Turn {
		turn := min(plan.Turn, len(x.nodes)-done)
		x.p.rows.prefetch(x.nodes[min(done+plan.RowsAhead, len(x.nodes)):min(done+plan.RowsAhead+plan.Turn, len(x.nodes))])
		x.choose(x.nodes[done:done+turn], x.indptr[done+1:])
		x.settle(x.chosen - plan.Lag)
	}
	x.settle(x.chosen)
	x.number(x.chosen)
	return x.chosen
}

// choose takes the edges of a few nodes.
func (x *expansion) choose(nodes []uint32, indptr []int64) {
	b, c := &x.w.block, &x.w.choices
	for i, u := range nodes {
		b.keys[i] = x.stream.Key(uint64(u))
		b.first[i], b.degrees[i] = x.p.rows.of(u)
		c.prefetch(b.keys[i], x.fanout, b.first[i], b.degrees[i])
	}
	first := x.chosen
	for i, u := range nodes {
		if left := x.w.excluded.of(u); left != nil {
			x.chosen += c.takeWithout(b.keys[i], x.fanout, u, left, x.positions[x.chosen:])
		} else {
			x.chosen += c.take(b.keys[i], x.fanout, b.first[i], b.degrees[i], x.positions[x.chosen:])
		}
		indptr[i] = int64(x.chosen)
	}
	taken := x.positions[first:x.chosen]
	stage.PrefetchIndices(unsafe.SliceData(x.p.g.Indices), taken)
	if x.p.g.EdgeIDs != nil {
		stage.PrefetchWords(unsafe.SliceData(x.p.g.EdgeIDs), taken)
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
	if x.p.g.EdgeIDs != nil {
		ids := x.positions[x.numbered:end]
		for i, at := range ids {
			ids[i] = x.p.g.EdgeIDs[at]
		}
	}
	x.numbered = end
}
