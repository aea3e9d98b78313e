package partition

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// stepper makes a step or a try of the n walkers of a cohort's batch, by the stages of the CPU engine. Their rows are all in r.
type stepper func(c *Cohort, r *rows, n int)

// firstOrder makes steps by stored biases, after which a walk stops with a probability in units of 2^-32 (apps.DeepWalk, apps.PPR).
func firstOrder(threshold uint64) stepper {
	return func(c *Cohort, r *rows, n int) {
		b := &c.group.batch
		b.choose(c, r, n)
		if threshold == 0 {
			return
		}
		for k, accept := range b.Accept[:n] {
			if uint64(accept) < threshold {
				b.Accepted[k] = last
			}
		}
	}
}

// teleport makes steps by stored biases, or jumps (apps.Jump, apps.Restart): to the root, which is Previous, or to one of the
// vertices of the whole graph.
func teleport(a app.Teleporter, vertices int) stepper {
	threshold, home := a.Threshold(), a.Home()
	return func(c *Cohort, r *rows, n int) {
		b := &c.group.batch
		b.choose(c, r, n)
		for _, k := range b.Event[:b.Teleports(n, threshold)] {
			b.Edge[k] = graph.NoEdge
			if b.Candidate[k] = b.Previous[k]; !home {
				b.Candidate[k] = app.JumpTo(vertices, rng.Key(b.Key[k]), uint64(b.step[k]))
			}
		}
	}
}

// severalRoots makes the steps of independent walks from the roots of a sample (apps.MultiIndependent).
func severalRoots(roots uint32) stepper {
	return func(c *Cohort, r *rows, n int) {
		b := &c.group.batch
		for k, i := range b.of[:n] {
			walk := uint64(c.group.walkers[i].number % roots)
			b.Key[k], b.Term[k] = uint64(rng.Key(b.Key[k]).Stream(uint64(b.step[k])).Key(walk)), stage.Term(0)
		}
		b.choose(c, r, n)
	}
}

// metropolis accepts a uniform proposal by the degrees of both vertices, or stays (apps.MetropolisHastings).
func metropolis(c *Cohort, r *rows, n int) {
	b := &c.group.batch
	copy(b.Previous[:n], b.Vertex[:n])
	b.choose(c, r, n)
	for k, next := range b.Candidate[:n] {
		_, here := r.tables.Row(b.Previous[k])
		term := stage.Term(rng.Slot(uint64(b.step[k]), program.HookTry))
		if next != graph.None && stage.Stays(b.Key[k], term, here, r.tables.Degree(next)) {
			b.Candidate[k], b.Edge[k] = c.group.walkers[b.of[k]].at, graph.NoEdge
		}
	}
}

// labelled makes steps along edges of the labels of a path (apps.MetaPath), after which a walk stops with a probability in
// units of 2^-32.
func labelled(threshold uint64) stepper {
	return func(c *Cohort, r *rows, n int) {
		b := &c.group.batch
		for k := range n {
			r.path.Candidates(r.tables, &b.Walkers, k, b.step[k])
			b.Position[k] = rng.Mix(b.Key[k] ^ b.Term[k])
		}
		r.path.Choose(r.tables, &b.Walkers, n, 0)
		for k, row := range b.Vertex[:n] {
			at := b.Position[k]
			if at == r.tables.Edges {
				b.end(k)
				continue
			}
			b.moveTo(k, r.path.Rows.Indices[at], r.indptr[row]+uint64(r.path.Rows.Places[at]))
			if stage.Stops(b.Key[k], b.step[k]+1, threshold) {
				b.Accepted[k] = last
			}
		}
	}
}

// temporal makes steps in order of time (apps.TemporalWalk). The engine's rows have the candidates of the next step with each edge,
// which a part cannot know: it searches for them by the time of the last edge, which travels with a walker.
func temporal(bias app.TimeBias, order index.TemporalOrder, limits app.TimeRange) stepper {
	return func(c *Cohort, r *rows, n int) {
		b := &c.group.batch
		for k, row := range b.Vertex[:n] {
			w := &c.group.walkers[b.of[k]]
			first, end := r.indptr[row], r.indptr[row+1]
			from, until := first, limits.FirstEnd
			if b.step[k] > 0 {
				from, until = r.times.after(first, end, int64(w.extra), order.Strict), limits.End
			} else if limits.Start > math.MinInt64 {
				from = r.times.after(first, end, limits.Start, false)
			}
			word, some, i := rng.Mix(b.Key[k]^b.Term[k]), end-from, int64(-1)
			if until < math.MaxInt64 {
				some = r.times.after(from, end, until, true) - from
			}
			switch bias {
			case app.UniformInTime:
				i = selector.Uniform(word, some)
			case app.LinearInTime:
				i = selector.Rank(word, some)
			case app.ExponentialInTime:
				i = selector.DecayBefore(word, r.times.sums[from:end], int(some))
			}
			if i < 0 {
				b.end(k)
				continue
			}
			at := from + uint64(i)
			w.extra = uint64(r.times.times[at])
			position := first + uint64(r.times.places[at])
			b.moveTo(k, r.indices[position], position)
		}
	}
}

// computed makes tries by biases that are computed when a choice needs them (app.Computing).
func computed(c *Cohort, r *rows, n int) {
	b := &c.group.batch
	r.tables.Propose(&b.Walkers, n)
	checks := r.bias.Decide(&b.Walkers, n)
	copy(b.Edge[:n], b.Position[:n])
	b.undecided(checks)
}

// scan chooses from the whole row of a walker after its last try. It returns graph.NoEdge if no edge has a bias. isNear reports whether an edge leads from the previous vertex to the end point of edge k of the row.
type scan func(r *rows, w *walker, isNear func(k int) bool) (position uint64)

// afterTries is the scan of a walk whose choices depend on the row alone.
func afterTries(a app.SecondOrderer) scan {
	return func(r *rows, w *walker, _ func(int) bool) uint64 {
		_, position := a.AfterTries(r.g, w.key, w.step(), w.prev, w.row)
		return position
	}
}

// triesByBias is the number of tries by computed biases.
func triesByBias(r *rows, row uint32) uint64 { return r.bias.Tries(row) }

// scanByBias is the scan by computed biases.
func scanByBias(r *rows, w *walker, isNear func(k int) bool) uint64 {
	k := 0 // the next edge of the row
	near := func(some []uint32) []uint32 {
		is := make([]uint32, len(some))
		for i := range is {
			is[i] = uint32(bit(isNear(k)))
			k++
		}
		return is
	}
	return r.bias.WeighAll(uint64(w.key), w.row, w.prev, int(w.step()), near)
}

// choose makes a choice of n walkers by stored biases, and moves them.
func (b *batch) choose(c *Cohort, r *rows, n int) {
	r.tables.Propose(&b.Walkers, n)
	if c.record.Edges {
		r.tables.Resolve(&b.Walkers, n)
	}
	r.tables.Follow(&b.Walkers, n, unsafe.Pointer(&b.Candidate), 4)
	for k := range n {
		b.Accepted[k] = accepted
	}
}

// moveTo moves a walker along an edge, of which a stepper knows the position.
func (b *batch) moveTo(k int, next uint32, position uint64) {
	b.Accepted[k], b.Candidate[k], b.Edge[k] = accepted, next, position
}

// end ends a walk.
func (b *batch) end(k int) { b.moveTo(k, graph.None, graph.NoEdge) }

// undecided marks the walkers in Check.
func (b *batch) undecided(checks int) {
	for _, k := range b.Check[:checks] {
		b.Accepted[k] = undecided
	}
}
