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
//
// The choices that are left after some rejections make several proposals at once, as many as the columns hold, so that few
// calls of the hook suffice and memory accesses overlap. The first accepted one is taken.
type biasedChooser struct {
	run       *programRun
	hooks     *hookCaller
	gathered  *columns // the open choices, compacted
	batch     rowBatch
	following *following // nil unless the program has Follows

	degrees  []uint64           // per choice
	firsts   []uint64           // per choice: the position of its first candidate, in the order of time if the program has Follows
	bounds   []uint64           // per choice
	levels   []uint64           // per proposal: it is accepted if its bias is above this
	biases   []uint64           // per proposal: the bias of the candidate
	choices  []uint32           // per proposal: its choice
	numbers  []uint32           // per proposal: its number among those that its choice makes at once
	single   bool               // choices make one proposal at a time
	open     []uint32           // choices that still propose
	rejected []uint32           // choices without a bound, or whose proposals were all rejected
	reserves []selector.Reserve // per rejected choice
}

// drawnTogether is the number of proposals that are drawn before their end points are prefetched.
const drawnTogether = 32

// newBiasedChooser returns a chooser for up to n transits. It overwrites scratch, which has capacity for n choices.
func newBiasedChooser(r *programRun, hooks *hookCaller, scratch *columns, n int) *biasedChooser {
	wide, narrow := make([]uint64, 5*n), make([]uint32, 4*n)
	q := &biasedChooser{
		run: r, hooks: hooks, gathered: scratch, batch: newRowBatch(r, hooks, scratch),
		degrees: wide[:n], bounds: wide[n : 2*n], levels: wide[2*n : 3*n], biases: wide[3*n : 4*n],
		firsts:  wide[4*n:],
		choices: narrow[:0:n], numbers: narrow[n : n : 2*n], open: narrow[2*n : 2*n : 3*n], rejected: narrow[3*n : 3*n],
		single: r.compiled.EdgeBias == 0,
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
			q.firsts[i], q.degrees[i] = q.following.candidates(c, i)
		} else {
			first, end := q.run.graph.Row(v)
			q.firsts[i], q.degrees[i] = first, end-first
		}
		c.edge[i], c.dst[i] = graph.NoEdge, graph.None
		if q.degrees[i] > 0 {
			q.open = append(q.open, uint32(i))
		}
	}
	// 2. Propose candidates for the others until all have accepted one or given up.
	q.hooks.describeSamples(c, n)
	defer c.changeSamples()
	if q.run.program.Bound == nil {
		q.rejected = append(q.rejected, q.open...)
	} else {
		q.callBound(c, n)
		for made := uint64(0); len(q.open) > 0; {
			made += q.propose(c, n, first, made)
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
	q.hooks.bound(q.gather(c, q.open, true), len(q.open), q.levels)
	for k, i := range q.open {
		q.bounds[i] = q.levels[k]
	}
}

// gather copies choices to separate columns, so that a hook is called for them only. It leaves out columns that no compiled
// hook reads. Faults are recorded by row.
func (q *biasedChooser) gather(c *columns, choices []uint32, faults bool) *columns {
	t, reads := q.gathered, q.run.compiled.Reads
	inGo := q.run.compiled.EdgeBias == 0 || q.run.compiled.Bound == 0
	if inGo { // a Go hook may read any column
		reads = hook.Everything
	}
	t.useStepOf(c)
	t.described = c.described
	gatherColumn(inGo, t.view, c.view, choices)
	gatherColumn(faults || reads.Has(hook.Row), t.row, c.row, choices)
	gatherColumn(reads.Has(hook.Key), t.key, c.key, choices)
	gatherColumn(reads.Has(hook.Transit) || q.following != nil, t.transit, c.transit, choices)
	gatherColumn(reads.Has(hook.Prev), t.prev, c.prev, choices)
	gatherColumn(reads.Has(hook.PrevEdge), t.reached, c.reached, choices)
	gatherColumn(reads.Has(hook.Words), t.words, c.words, choices)
	gatherColumn(reads.Has(hook.Size), t.size, c.size, choices)
	gatherColumn(reads.Has(hook.Sample), t.rootCount, c.rootCount, choices)
	gatherColumn(reads.Has(hook.Sample), t.vertices, c.vertices, choices)
	gatherColumn(reads.Has(hook.Sample) && q.run.lanes != 1, t.ends, c.ends, choices)
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

// propose makes the next proposals of the open choices, which have made some of them, and returns their number per choice.
// first is the slot of the word of a choice's first proposal. A choice stays open if all its proposals were rejected and are
// fewer than program.Tries.
func (q *biasedChooser) propose(c *columns, n int, first, made uint64) uint64 {
	// 1. List the proposals.
	each := q.atOnce(made)
	q.list(made, each)
	t, m := c, len(q.choices)
	if made > 0 || m < n {
		t = q.gather(c, q.choices, each == 1)
	}
	// 2. Draw the candidates and their levels, compute their biases, and accept or reject them.
	q.draw(c, t, first+made)
	if each == 1 {
		q.hooks.edgeBias(t, m, q.biases)
		q.acceptOne(c, t, made)
		return 1
	}
	if !q.weighAhead(t) {
		q.single = true
		return q.propose(c, n, first, made)
	}
	q.acceptFirst(c, t, made, each)
	return each
}

// atOnce returns the number of proposals that each open choice makes at once after that number of rejections: at most half of it,
// since a choice that was rejected often will probably be rejected again.
func (q *biasedChooser) atOnce(made uint64) uint64 {
	if q.single {
		return 1
	}
	return max(1, min(made/2, uint64(cap(q.choices)/len(q.open))))
}

// list lists the proposals of the open choices.
func (q *biasedChooser) list(made, each uint64) {
	if each == 1 {
		q.choices, q.numbers = append(q.choices[:0], q.open...), q.numbers[:len(q.open)]
		clear(q.numbers)
		return
	}
	q.choices, q.numbers = q.choices[:0], q.numbers[:0]
	for _, i := range q.open {
		for number := range min(each, program.Tries(q.degrees[i])-made) {
			q.choices, q.numbers = append(q.choices, i), append(q.numbers, uint32(number))
		}
	}
}

// draw draws the candidates of the proposals and their levels, and reads the end points to t. slot is the slot of the word of
// proposal number 0.
func (q *biasedChooser) draw(c, t *columns, slot uint64) {
	g, m := q.run.graph, len(q.choices)
	edges := t.edge[:m]
	if q.following != nil {
		edges = t.edgeInTime[:m]
	}
	// The end points of a part are prefetched while the next part is drawn.
	for lo := 0; lo < m; lo += drawnTogether {
		hi := min(lo+drawnTogether, m)
		choices := q.choices[lo:hi]
		numbers, levels, edges := q.numbers[lo:hi], q.levels[lo:hi], edges[lo:hi]
		for k, i := range choices {
			word := rng.Key(c.key[i]).Word(slot + uint64(numbers[k]))
			at, level := selector.Propose(word, q.degrees[i], q.bounds[i])
			edges[k], levels[k] = q.firsts[i]+at, level
		}
		if q.following == nil {
			stage.PrefetchIndices(unsafe.SliceData(g.Indices), edges)
		}
	}
	if q.following != nil {
		q.following.resolve(t, m)
		return
	}
	ends := t.dst[:m]
	for k, edge := range edges {
		ends[k] = g.Indices[edge]
	}
}

// weighAhead computes the biases of the proposals although earlier ones of their choices may be accepted. It returns false if
// an error occurred, which counts only if no earlier proposal is accepted.
func (q *biasedChooser) weighAhead(t *columns) bool {
	if !q.hooks.edgeBiasAhead(t, len(q.choices), q.biases) {
		return false
	}
	for k, i := range q.choices {
		if q.biases[k] > q.bounds[i] {
			return false
		}
	}
	return true
}

// acceptOne sets the candidate of each open choice to its one proposal, or to none. If t is c, all choices are open, and k
// equals i. Whether a proposal is accepted is unpredictable, so there is no branch on it.
func (q *biasedChooser) acceptOne(c, t *columns, made uint64) {
	open := 0
	for k, i := range q.open {
		bias := q.biases[k]
		if bias > q.bounds[i] {
			q.run.fault(c.row[i], c.step, hook.AboveBound)
			bias = 0 // the proposal is rejected as well
		}
		_, accepted := bits.Sub64(q.levels[k], bias, 0) // 1 if the level is below the bias
		none := accepted - 1                            // 0 if accepted, otherwise graph.NoEdge
		c.edge[i], c.dst[i] = t.edge[k]|none, t.dst[k]|uint32(none)
		if q.following != nil {
			c.edgeInTime[i] = t.edgeInTime[k]
		}
		rejected := 1 - accepted
		if made+1 < program.Tries(q.degrees[i]) {
			q.open[open] = i
			open += int(rejected)
		} else if rejected == 1 {
			q.rejected = append(q.rejected, i)
		}
	}
	q.open = q.open[:open]
}

// acceptFirst sets the candidate of each open choice to the first of its proposals that is accepted. Choices without one have no
// candidate since their first proposal.
func (q *biasedChooser) acceptFirst(c, t *columns, made, each uint64) {
	open, biases, levels := q.open[:0], q.biases[:len(q.choices)], q.levels[:len(q.choices)]
	k := 0
	for _, i := range q.open {
		left := program.Tries(q.degrees[i]) - made
		end := k + int(min(each, left))
		for k < end && biases[k] <= levels[k] {
			k++
		}
		switch {
		case k < end:
			c.edge[i], c.dst[i] = t.edge[k], t.dst[k]
			if q.following != nil {
				c.edgeInTime[i] = t.edgeInTime[k]
			}
		case left > each:
			open = append(open, i)
		default:
			q.rejected = append(q.rejected, i)
		}
		k = end
	}
	q.open = open
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
			c.edgeInTime[i] = q.firsts[i] + uint64(at)
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
