package cpu

import (
	"sort"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// many makes several picks for each task: some tasks' candidates are weighed together, where all of them are.
func (p *picker) many(tasks []task, samples []growing) error {
	for lo := 0; lo < len(p.live); {
		hi, total := lo, 0
		for ; hi < len(p.live); hi++ {
			t := &tasks[p.live[hi]]
			if t.hi == t.lo {
				p.reach(t)
			}
			if p.weighed(t) {
				if hi > lo && total+int(t.n) > plan.HookedRows {
					break
				}
				total += int(t.n)
			}
		}
		p.weighTasks(tasks, lo, hi, total)
		if err := p.job.Err(); err != nil {
			return err
		}
		for at := lo; at < hi; at++ {
			t := &tasks[p.live[at]]
			t.first = len(p.picks)
			p.pick(at, t, &samples[t.sample].taken)
			t.end = len(p.picks)
		}
		lo = hi
	}
	return nil
}

// reach makes the transit's row the task's candidates.
func (p *picker) reach(t *task) {
	t.lo, t.n = len(p.spans), 0
	p.spans = t.reach(p.g, p.spans, t.from)
	t.hi = len(p.spans)
}

// everything says whether a task takes all candidates.
func (p *picker) everything(t *task) bool {
	return t.k == app.All || t.n <= uint64(t.k) && (!p.grows.Replace || p.grows.Unique != app.Repeats)
}

// weighed says whether all candidates of a task are weighed.
func (p *picker) weighed(t *task) bool {
	return p.everything(t) || p.grows.EdgeBias != nil && p.grows.Bound == nil
}

// again says whether a candidate may be picked several times.
func (p *picker) again() bool { return p.grows.Replace && p.grows.Unique == app.Repeats }

// pick makes a task's picks. It is app.Growth's pick.
func (p *picker) pick(at int, t *task, taken *taken) {
	static, unique, key := p.grows.EdgeBias == nil, p.grows.Unique != app.Repeats, rng.Key(p.c.key[at])
	switch {
	case t.n == 0:
	case p.everything(t):
		for i, b := range t.biases {
			if b > 0 && (!unique || taken.add(uint64(p.vertex(t, uint64(i))))) {
				p.add(at, t, uint64(i))
			}
		}
	case unique && static, p.grows.Bound != nil:
		p.distinct(at, t, taken)
	case static && p.grows.Scope == app.Individual:
		s := p.spans[t.lo]
		for _, edge := range p.chosen[:p.take.take(key, uint64(t.k), s.first, t.n, p.room(t))] {
			p.add(at, t, edge-s.first)
		}
	case static && p.grows.Replace:
		for j := range uint64(t.k) {
			i, _ := rng.Below(key.Word(j), t.n)
			p.add(at, t, i)
		}
	case static:
		for _, i := range p.chosen[:selector.PermuteAt(key, uint64(t.k), t.n, 0, p.room(t), &p.scratch)] {
			p.add(at, t, i)
		}
	default:
		p.deplete(at, t, taken)
	}
}

// room gives room for as many picks as a task makes.
func (p *picker) room(t *task) []uint64 {
	if len(p.chosen) < t.k {
		n := max(t.k, 2*len(p.chosen))
		p.chosen = grown(p.chosen[:0], n)[:n]
		afford(scratchBytes * int64(n))
	}
	return p.chosen
}

// takes says whether candidate i is in, and has it out from then on.
func (p *picker) takes(t *task, taken *taken, i uint64) bool {
	switch {
	case p.grows.Unique != app.Repeats:
		return taken.add(uint64(p.vertex(t, i)))
	case p.again():
		return true
	default:
		return p.picked.add(i)
	}
}

// deplete picks among biases that are there, with words 0, 1 and so on: by ScanWithout, or by Scan each.
func (p *picker) deplete(at int, t *task, taken *taken) {
	p.picked.reset()
	p.leaveOut(t, taken)
	draw, drop := p.drawer(t)
	key := rng.Key(p.c.key[at])
	for j := range uint64(t.k) {
		i := draw(key.Word(j))
		if i < 0 {
			break
		}
		p.add(at, t, uint64(i))
		p.takeOut(t, taken, uint64(i), drop)
	}
}

// distinct is selector.Distinct: proposals, and draws among what is left where those do not suffice.
func (p *picker) distinct(at int, t *task, taken *taken) {
	p.picked.reset()
	key, k, most := rng.Key(p.c.key[at]), uint64(t.k), selector.AttemptsPerPick*uint64(t.k)
	propose := p.proposer(at, t)
	got, attempt := uint64(0), uint64(0)
	for attempt < most && got < k {
		n := min(k-got, most-attempt, uint64(len(p.tried.who)))
		for _, i := range propose(attempt, int(n)) {
			if i >= 0 && p.takes(t, taken, uint64(i)) {
				p.add(at, t, uint64(i))
				got++
			}
		}
		attempt += n
	}
	if got == k {
		return
	}
	t.biases = nil
	p.weighOne(at, t)
	p.leaveOut(t, taken)
	draw, drop := p.drawer(t)
	for ; got < k; attempt++ {
		i := draw(key.Word(attempt))
		if i < 0 {
			break
		}
		p.add(at, t, uint64(i))
		got++
		p.takeOut(t, taken, uint64(i), drop)
	}
}

// leaveOut gives candidates that are out no bias.
func (p *picker) leaveOut(t *task, taken *taken) {
	for i := range t.biases {
		if p.grows.Unique != app.Repeats && taken.has(uint64(p.vertex(t, uint64(i)))) || p.picked.has(uint64(i)) {
			t.biases[i] = 0
		}
	}
}

// drawer gives Scan over the task's biases, and what takes a candidate out of them.
func (p *picker) drawer(t *task) (draw func(word uint64) int64, drop func(i uint64)) {
	afford(sumBytes * int64(len(t.biases)))
	if p.remains.Fill(t.biases) {
		return p.remains.Draw, func(i uint64) {
			p.remains.Drop(int(i), t.biases[i])
			t.biases[i] = 0
		}
	}
	return func(word uint64) int64 {
		return selector.Scan(word, len(t.biases), func(i int) uint64 { return t.biases[i] })
	}, func(i uint64) { t.biases[i] = 0 }
}

// takeOut takes candidate i out of those that are left, and with it all that lead to its vertex where vertices are unique.
func (p *picker) takeOut(t *task, taken *taken, i uint64, drop func(i uint64)) {
	switch {
	case p.again():
	case p.grows.Unique == app.Repeats:
		drop(i)
	default:
		v := p.vertex(t, i)
		taken.add(uint64(v))
		for _, s := range p.spans[t.lo:t.hi] {
			row := p.g.Indices[s.first:s.end]
			for k := sort.Search(len(row), func(k int) bool { return row[k] >= v }); k < len(row) && row[k] == v; k++ {
				drop(s.before + uint64(k))
			}
		}
	}
}

// proposer gives a function that makes n proposals from an attempt on: a candidate each, or -1.
func (p *picker) proposer(at int, t *task) func(attempt uint64, n int) []int64 {
	key := rng.Key(p.c.key[at])
	draw := func(word uint64) int64 { return selector.Uniform(word, t.n) }
	if p.grows.Bound != nil {
		bound := p.boundOf(at)
		return func(attempt uint64, n int) []int64 { return p.proposals(at, t, bound, attempt, n) }
	}
	if p.slots != nil {
		row := index.AliasRow(p.g, t.from.vertex)
		draw = func(word uint64) int64 { return selector.Alias(word, row) }
	}
	return func(attempt uint64, n int) []int64 {
		p.proposed = p.proposed[:0]
		for k := range uint64(n) {
			p.proposed = append(p.proposed, draw(key.Word(attempt+k)))
		}
		return p.proposed
	}
}

// boundOf asks for the bound of a task's biases.
func (p *picker) boundOf(at int) uint64 {
	c := p.blank()
	c.take(0, &p.c, at)
	c.words[0] = p.c.words[at]
	p.asker.bounds(c, 1, p.levels)
	return p.levels[0]
}

// proposals proposes candidates of a task, and has them weighed: those that are refused are -1.
func (p *picker) proposals(at int, t *task, bound, attempt uint64, n int) []int64 {
	c, key := p.blank(), rng.Key(p.c.key[at])
	p.proposed = p.proposed[:0]
	for k := range n {
		i, level := selector.Propose(key.Word(attempt+uint64(k)), t.n, bound)
		s := t.span(p.spans, i)
		c.take(k, &p.c, at)
		c.transit[k], c.prev[k], c.words[k] = s.vertex, s.prev, p.c.words[at]
		c.edge[k], p.levels[k] = s.first+i-s.before, level
		c.dst[k] = p.g.Indices[c.edge[k]]
		p.proposed = append(p.proposed, int64(i))
	}
	p.weigh(c, n, p.chooser.biases)
	for k, bias := range p.chooser.biases[:n] {
		if bias > bound && p.fault(c.row[k], c.step, hook.AboveBound) || bias <= p.levels[k] {
			p.proposed[k] = -1
		}
	}
	return p.proposed
}
