package growth

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// biasedChooser makes one pick for each of many transits by the biases that the EdgeBias hook computes. Under a Bound hook
// a choice makes up to program.Tries proposals, each of which costs one bias. A choice that accepts none of them, or that has
// no bound, is made by a reservoir over its row, which costs one bias per edge.
type biasedChooser struct {
	run       *programRun
	hooks     *hookCaller
	gathered  *columns // the open choices, compacted
	batch     rowBatch
	following *following // nil unless the program has Follows

	degrees  []uint64           // per choice
	bounds   []uint64           // per choice
	levels   []uint64           // per open choice: a proposal is accepted if its bias is above this
	biases   []uint64           // per open choice: the bias of the proposed candidate
	open     []uint32           // choices that still propose
	rejected []uint32           // choices without a bound, or whose proposals were all rejected
	reserves []selector.Reserve // per rejected choice
}

// newBiasedChooser returns a chooser for up to n transits. It overwrites scratch, which has capacity for n choices.
func newBiasedChooser(r *programRun, hooks *hookCaller, scratch *columns, n int) *biasedChooser {
	numbers := make([]uint64, 4*n)
	q := &biasedChooser{
		run: r, hooks: hooks, gathered: scratch, batch: newRowBatch(r, hooks, scratch),
		degrees: numbers[:n], bounds: numbers[n : 2*n], levels: numbers[2*n : 3*n], biases: numbers[3*n:],
		open: make([]uint32, 0, n), rejected: make([]uint32, 0, n),
	}
	if r.inTime.Edges != nil {
		q.following = newFollowing(r, n)
	}
	return q
}

// choose implements chooser.choose for method oneByBias.
func (q *biasedChooser) choose(c *columns, n int, first uint64) {
	// 1. Choices without candidates are done.
	q.open, q.rejected = q.open[:0], q.rejected[:0]
	for i, v := range c.transit[:n] {
		if q.following != nil {
			q.degrees[i] = q.following.count(c, i)
		} else {
			q.degrees[i] = q.run.graph.Degree(v)
		}
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None
		if q.degrees[i] > 0 {
			q.open = append(q.open, uint32(i))
		}
	}
	// 2. Propose candidates for the others until all have accepted one or given up.
	if q.run.program.Bound == nil {
		q.rejected = append(q.rejected, q.open...)
	} else {
		q.callBound(c, n)
		for try := uint64(0); len(q.open) > 0; try++ {
			q.propose(c, n, first+try, try+1)
		}
	}
	// 3. Make the remaining choices over whole rows.
	q.chooseByReservoir(c, first+selector.MaxTries)
}

// callBound sets the bounds of the open choices.
func (q *biasedChooser) callBound(c *columns, n int) {
	if len(q.open) == n {
		q.hooks.bound(c, n, q.bounds)
		return
	}
	q.hooks.bound(q.gather(c), len(q.open), q.levels)
	for k, i := range q.open {
		q.bounds[i] = q.levels[k]
	}
}

// gather copies the open choices to separate columns, so that a hook is called for them only. It leaves out columns that no
// compiled hook reads.
func (q *biasedChooser) gather(c *columns) *columns {
	t, reads := q.gathered, q.run.compiled.Reads
	if q.run.compiled.EdgeBias == 0 || q.run.compiled.Bound == 0 { // a Go hook may read any column
		reads = hook.Everything
	}
	t.useStepOf(c)
	for k, i := range q.open {
		t.row[k], t.key[k], t.transit[k] = c.row[i], c.key[i], c.transit[i]
	}
	gatherColumn(reads.Has(hook.Prev), t.prev, c.prev, q.open)
	gatherColumn(reads.Has(hook.PrevEdge), t.reached, c.reached, q.open)
	gatherColumn(reads.Has(hook.Words), t.words, c.words, q.open)
	gatherColumn(reads.Has(hook.Size|hook.Sample), t.view, c.view, q.open)
	return t
}

// gatherColumn copies the elements of a column that choices have, if it is read.
func gatherColumn[T any](read bool, to, from []T, choices []uint32) {
	if !read {
		return
	}
	for k, i := range choices {
		to[k] = from[i]
	}
}

// propose proposes a candidate for each open choice and accepts or rejects it. A choice stays open if it rejects and has made
// fewer than program.Tries proposals. slot is the slot of the proposal's word; tries is the number of proposals including this one.
func (q *biasedChooser) propose(c *columns, n int, slot, tries uint64) {
	t, m := c, len(q.open)
	if tries > 1 || m < n {
		t = q.gather(c)
	}
	g := q.run.graph
	// 1. Draw the candidates and their levels, and read their end points.
	if q.following != nil {
		for k, i := range q.open {
			at, level := selector.Propose(rng.Key(t.key[k]).Word(slot), q.degrees[i], q.bounds[i])
			t.edgeInTime[k], q.levels[k] = q.following.firsts[i]+at, level
		}
		q.following.resolve(t, m)
	} else {
		for k, i := range q.open {
			at, level := selector.Propose(rng.Key(t.key[k]).Word(slot), q.degrees[i], q.bounds[i])
			t.edge[k], q.levels[k] = g.Indptr[t.transit[k]]+at, level
		}
		stage.PrefetchIndices(unsafe.SliceData(g.Indices), t.edge[:m])
		for k, edge := range t.edge[:m] {
			t.dst[k] = g.Indices[edge]
		}
	}
	// 2. Compute their biases, and accept or reject. If t is c, all choices are open and k equals i. Whether a proposal is
	// accepted is unpredictable, so there is no branch on it.
	q.hooks.edgeBias(t, m, q.biases)
	open := 0
	for k, i := range q.open {
		bias := q.biases[k]
		if bias > q.bounds[i] {
			q.run.fault(t.row[k], c.step, hook.AboveBound)
			bias = 0 // the proposal is rejected as well
		}
		_, accepted := bits.Sub64(q.levels[k], bias, 0) // 1 if the level is below the bias
		none := accepted - 1                            // 0 if accepted, otherwise graph.NoEdge
		c.edge[i], c.dst[i] = t.edge[k]|none, t.dst[k]|uint32(none)
		if q.following != nil {
			c.edgeInTime[i] = t.edgeInTime[k]
		}
		rejected := 1 - accepted
		if tries < program.Tries(q.degrees[i]) {
			q.open[open] = i
			open += int(rejected)
		} else if rejected == 1 {
			q.rejected = append(q.rejected, i)
		}
	}
	q.open = q.open[:open]
}

// chooseByReservoir makes the rejected choices in one pass over their rows. slot is the slot of the word from which the
// reservoir's stream is derived.
func (q *biasedChooser) chooseByReservoir(c *columns, slot uint64) {
	g := q.run.graph
	q.reserves = q.reserves[:0]
	for _, i := range q.rejected {
		q.reserves = append(q.reserves, selector.Reserve{Key: rng.Key(c.key[i]).Stream(slot).Key(0)})
	}
	// 1. Offer every candidate with its bias.
	switch {
	case q.following != nil:
		q.offerFollowing(c)
	case q.run.compiled.RowBias == 0:
		for k, i := range q.rejected {
			q.offerRow(c, int(i), &q.reserves[k])
		}
	default:
		q.batch.begin(c)
		for k, i := range q.rejected {
			first, end := g.Row(c.transit[i])
			from := transit{vertex: c.transit[i], prev: c.prev[i], edge: c.reached[i]}
			q.batch.add(c, int(i), from, first, end, receiver{reserve: &q.reserves[k]})
		}
		q.batch.flush()
	}
	// 2. Read the selected candidates.
	for k, i := range q.rejected {
		switch at := q.reserves[k].Held(); {
		case at < 0:
		case q.following != nil:
			c.edgeInTime[i] = q.following.firsts[i] + uint64(at)
			c.edge[i], c.dst[i] = q.following.edge(c.transit[i], c.edgeInTime[i])
		default:
			c.edge[i] = g.Indptr[c.transit[i]] + uint64(at)
			c.dst[i] = g.Indices[c.edge[i]]
		}
	}
}

// offerRow offers the candidates of choice i to a reservoir, with biases from a Go hook.
func (q *biasedChooser) offerRow(c *columns, i int, reserve *selector.Reserve) {
	first, end := q.run.graph.Row(c.transit[i])
	x := q.hooks.context(c, i)
	for k, dst := range q.run.graph.Indices[first:end] {
		reserve.Add(k, q.run.program.EdgeBias(x, first+uint64(k), dst))
	}
}
