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
// If few proposals are accepted, a choice makes several at once: those up to the first whose level is so low that it will
// probably be accepted. Few calls of the hook suffice then, and memory accesses overlap. The first accepted one is taken.
type biasedChooser struct {
	run       *programRun
	hooks     *hookCaller
	gathered  *columns // the open choices, compacted
	batch     rowBatch
	following *following // nil unless the program has Follows

	degrees  []uint64 // per choice
	firsts   []uint64 // per choice: the position of its first candidate, in the order of time if the program has Follows
	bounds   []uint64 // per choice
	levels   []uint64 // per proposal: it is accepted if its bias is above this
	biases   []uint64 // per proposal: the bias of the candidate
	choices  []uint32 // per proposal: its choice
	made     []uint32 // per choice: its proposals so far
	single   bool     // choices make one proposal at a time
	tried    uint64   // recent proposals, and how many of them were accepted
	accepted uint64
	open     []uint32           // choices that still propose
	rejected []uint32           // choices without a bound, or whose proposals were all rejected
	reserves []selector.Reserve // per rejected choice
}

// drawnTogether is the number of proposals that are drawn before their end points are prefetched.
const drawnTogether = 32

// proposalsPerWalker is the number of proposals per walker of a group that have room in the columns.
const proposalsPerWalker = 4

// proposalsRemembered is the number of proposals after which the recent ones count twice as much as those before.
const proposalsRemembered = 1 << 13

// newBiasedChooser returns a chooser for up to n transits. It overwrites scratch, which has capacity for n choices.
func newBiasedChooser(r *programRun, hooks *hookCaller, scratch *columns, n int) *biasedChooser {
	m := scratch.capacity()
	wide, narrow := make([]uint64, 3*n), make([]uint32, 3*n)
	q := &biasedChooser{
		run: r, hooks: hooks, gathered: scratch, batch: newRowBatch(r, hooks, scratch),
		degrees: wide[:n], bounds: wide[n : 2*n], firsts: wide[2*n:],
		levels: make([]uint64, m), biases: make([]uint64, m), choices: make([]uint32, 0, m),
		made: narrow[:n], open: narrow[n : n : 2*n], rejected: narrow[2*n : 2*n],
		single: r.compiled.EdgeBias == 0,
	}
	if r.inTime.Edges != nil {
		q.following = newFollowing(r, m)
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
		clear(q.made[:n])
		for len(q.open) > 0 {
			q.propose(c, n, first)
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

// propose makes the next proposals of the open choices. first is the slot of the word of a choice's first proposal. A choice
// stays open if all its proposals were rejected and are fewer than program.Tries.
func (q *biasedChooser) propose(c *columns, n int, first uint64) {
	if q.tried > proposalsRemembered {
		q.tried, q.accepted = q.tried/2, q.accepted/2
	}
	few := 2*q.accepted < q.tried || 8*len(q.open) < n // accepted, or open
	if few && !q.single && q.tried > 0 && q.proposeAhead(c, first) {
		return
	}
	q.choices = append(q.choices[:0], q.open...)
	t := c
	if len(q.open) < n {
		t = q.gather(c, q.open, true)
	}
	q.drawOne(c, t, first)
	q.readEnds(t, len(q.open))
	q.hooks.edgeBias(t, len(q.open), q.biases)
	q.acceptOne(c, t)
}

// proposeAhead makes several proposals of each open choice at once, for as many choices at a time as the columns hold. It
// computes the biases of all, although earlier ones of their choices may be accepted. If an error occurs, which counts only if
// no earlier proposal is accepted, it returns false, and the choices that are still open make one proposal at a time.
func (q *biasedChooser) proposeAhead(c *columns, first uint64) bool {
	rest, open := q.open, q.open[:0]
	for len(rest) > 0 {
		part := q.drawSeveral(c, rest, first)
		t := q.gather(c, q.choices, false)
		q.readEnds(t, len(q.choices))
		if !q.hooks.edgeBiasAhead(t, len(q.choices), q.biases) {
			q.single, q.open = true, append(open, rest...)
			return false
		}
		open = q.acceptFirst(c, t, open)
		rest = rest[part:]
	}
	q.open = open
	return true
}

// drawOne draws the next candidate of each open choice and its level.
func (q *biasedChooser) drawOne(c, t *columns, slot uint64) {
	m := len(q.open)
	edges, levels := q.candidates(t)[:m], q.levels[:m]
	for lo := 0; lo < m; lo += drawnTogether {
		hi := min(lo+drawnTogether, m)
		edges, levels := edges[lo:hi], levels[lo:hi]
		for k, i := range q.open[lo:hi] {
			word := rng.Key(c.key[i]).Word(slot + uint64(q.made[i]))
			at, level := selector.Propose(word, q.degrees[i], q.bounds[i])
			edges[k], levels[k] = q.firsts[i]+at, level
		}
		q.prefetchEnds(edges)
	}
}

// drawSeveral draws the next candidates of the first open choices, as many as the columns hold, and their levels. It lists the
// choices of the proposals, and returns the number of choices.
func (q *biasedChooser) drawSeveral(c *columns, open []uint32, slot uint64) (choices int) {
	edges, m, prefetched := q.candidates(q.gathered), 0, 0
	q.choices = q.choices[:cap(q.choices)]
	for _, i := range open {
		if m == len(q.choices) {
			break
		}
		key, degree, bound := rng.Key(c.key[i]), q.degrees[i], q.bounds[i]
		made := uint64(q.made[i])
		low := max(1, bound*q.accepted/q.tried) // a level below it is probably accepted
		for range min(program.Tries(degree)-made, uint64(len(q.choices)-m)) {
			at, level := selector.Propose(key.Word(slot+made), degree, bound)
			q.choices[m], edges[m], q.levels[m] = i, q.firsts[i]+at, level
			m++
			made++
			if level < low {
				break
			}
		}
		choices++
		if m >= prefetched+drawnTogether {
			q.prefetchEnds(edges[prefetched:m])
			prefetched = m
		}
	}
	q.prefetchEnds(edges[prefetched:m])
	q.choices = q.choices[:m]
	return choices
}

// candidates returns the column of the positions of candidates, in the order of time if the program has Follows.
func (q *biasedChooser) candidates(t *columns) []uint64 {
	if q.following != nil {
		return t.edgeInTime
	}
	return t.edge
}

// prefetchEnds prefetches the end points of candidates.
func (q *biasedChooser) prefetchEnds(edges []uint64) {
	if q.following == nil {
		stage.PrefetchIndices(unsafe.SliceData(q.run.graph.Indices), edges)
	}
}

// readEnds reads the end points of the first m candidates of t.
func (q *biasedChooser) readEnds(t *columns, m int) {
	if q.following != nil {
		q.following.resolve(t, m)
		return
	}
	indices, edges, ends := q.run.graph.Indices, t.edge[:m], t.dst[:m]
	for k, edge := range edges {
		ends[k] = indices[edge]
	}
}

// acceptOne sets the candidate of each open choice to its one proposal, or to none. If t is c, all choices are open, and k
// equals i. Whether a proposal is accepted is unpredictable, so there is no branch on it.
func (q *biasedChooser) acceptOne(c, t *columns) {
	open := 0
	q.tried += uint64(len(q.open))
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
		q.accepted += accepted
		q.made[i]++
		if uint64(q.made[i]) < program.Tries(q.degrees[i]) {
			q.open[open] = i
			open += int(rejected)
		} else if rejected == 1 {
			q.rejected = append(q.rejected, i)
		}
	}
	q.open = q.open[:open]
}

// acceptFirst sets the candidate of each choice that proposes to the first of its proposals that is accepted. It appends the
// choices that remain open. Choices without an accepted proposal have no candidate since choose began.
func (q *biasedChooser) acceptFirst(c, t *columns, open []uint32) []uint32 {
	choices := q.choices
	biases, levels := q.biases[:len(choices)], q.levels[:len(choices)]
	for k := 0; k < len(choices); {
		i, begin := choices[k], k
		for k < len(choices) && choices[k] == i && (biases[k] <= levels[k] || q.aboveBound(c, i, biases[k])) {
			k++
		}
		q.tried += uint64(k - begin)
		if k < len(choices) && choices[k] == i {
			q.tried++
			q.accepted++
			c.edge[i], c.dst[i] = t.edge[k], t.dst[k]
			if q.following != nil {
				c.edgeInTime[i] = t.edgeInTime[k]
			}
			for k < len(choices) && choices[k] == i {
				k++
			}
			continue
		}
		q.made[i] += uint32(k - begin)
		if uint64(q.made[i]) < program.Tries(q.degrees[i]) {
			open = append(open, i)
		} else {
			q.rejected = append(q.rejected, i)
		}
	}
	return open
}

// aboveBound reports whether a bias is above the bound of choice i, which is an error. The proposal is rejected as well.
func (q *biasedChooser) aboveBound(c *columns, i uint32, bias uint64) bool {
	if bias <= q.bounds[i] {
		return false
	}
	q.run.fault(c.row[i], c.step, hook.AboveBound)
	return true
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
