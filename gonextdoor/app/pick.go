package app

import (
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// span is a transit with the positions of its edges.
type span struct {
	transit
	first, end uint64
}

// candidates are what a choice is made from: the edges of one transit, or of several, one row behind the other.
type candidates struct {
	s    *growing
	ctx  *Ctx
	of   transit // whose they are; nowhere: all transits choose together
	rows []span
	n    uint64
}

// at gives the row and the position of candidate i.
func (c candidates) at(i uint64) (span, uint64) {
	for _, r := range c.rows {
		if i < r.end-r.first {
			return r, r.first + i
		}
		i -= r.end - r.first
	}
	panic("app: no such candidate")
}

// vertex gives the end point of candidate i.
func (c candidates) vertex(i uint64) uint32 {
	_, position := c.at(i)
	return c.s.g.Indices[position]
}

// bias gives the bias of candidate i.
func (c candidates) bias(i uint64) uint64 {
	row, position := c.at(i)
	switch {
	case c.s.EdgeBias != nil:
		return c.s.EdgeBias(c.ctx.of(row.transit), position, c.s.g.Indices[position])
	case c.s.Weighted == Yes:
		return uint64(c.s.g.Biases[position])
	default:
		return 1
	}
}

// pick chooses k of the candidates.
func (s *growing) pick(c *Ctx, from candidates, k int) []uint64 {
	static := s.static()
	switch {
	case from.n == 0:
		return nil
	case s.single():
		if i := s.one(c, from); i >= 0 {
			return []uint64{uint64(i)}
		}
		return nil
	case k == All || from.n <= uint64(k) && (!s.Replace || s.Unique != Repeats):
		return s.all(from)
	case s.Unique != Repeats && static, s.Bound != nil:
		out := s.outs(from)
		return selector.Distinct(c.key, uint64(k), int(from.n), s.proposer(c, from), out.bias, out.take, nil)
	case static && s.Scope == Individual:
		return choices(index.CandidatesOf(s.g, from.of.vertex), c.key, uint64(k), s.Replace, s.Weighted)
	case static && s.Replace:
		return choices(index.Candidates{N: from.n}, c.key, uint64(k), true, No)
	case static:
		return selector.Permute(c.key, uint64(k), from.n, nil)
	default:
		return s.weighed(c, from, k)
	}
}

// one is a walker's choice: by the weights or equally, with the choice's first word; by a computed bias, after Tries
// under a bound, in one pass whose words hang under the choice's word MaxTries. The first word of a walk's choice is that
// at Slot(step, 0).
func (s *growing) one(c *Ctx, from candidates) int64 {
	first := uint64(0)
	if s.walk {
		first = rng.Slot(uint64(c.Step), 0)
	}
	if s.EdgeBias == nil {
		return pick(index.CandidatesOf(s.g, from.of.vertex), c.key.Word(first), s.Weighted)
	}
	if s.Bound != nil {
		bound := s.Bound(c)
		for t := range Tries(from.n) {
			if i := from.propose(c.key.Word(first+t), bound); i >= 0 {
				return i
			}
		}
	}
	key := c.key.Stream(first + selector.MaxTries).Key(0)
	return selector.Reservoir(key, int(from.n), func(i int) uint64 { return from.bias(uint64(i)) })
}

// propose gives a candidate that is accepted with probability bias/bound, or -1.
func (c candidates) propose(word, bound uint64) int64 {
	i, level := selector.Propose(word, c.n, bound)
	switch bias := c.bias(i); {
	case bias > bound:
		c.s.fault(c.ctx.Step, hook.AboveBound)
		return -1
	case bias > level:
		return int64(i)
	}
	return -1
}

// proposer draws one candidate for a word: under the bound, by the weights, or equally.
func (s *growing) proposer(c *Ctx, from candidates) func(word uint64) int64 {
	switch {
	case s.Bound != nil:
		bound := s.Bound(c)
		return func(word uint64) int64 { return from.propose(word, bound) }
	case s.Scope == Individual:
		row := index.CandidatesOf(s.g, from.of.vertex)
		return func(word uint64) int64 { return pick(row, word, s.Weighted) }
	default:
		return func(word uint64) int64 { return selector.Uniform(word, from.n) }
	}
}

// outs are the candidates that are out: their vertices are taken where those are unique, they were picked before otherwise.
type outs struct {
	from   candidates
	again  bool // none ever is
	picked map[uint64]bool
}

func (s *growing) outs(from candidates) *outs {
	return &outs{from, s.Replace && s.Unique == Repeats, map[uint64]bool{}}
}

func (o *outs) has(i uint64) bool {
	if o.from.s.Unique != Repeats {
		return o.from.s.taken[o.from.vertex(i)]
	}
	return o.picked[i]
}

// take says whether candidate i is in, and has it out from then on.
func (o *outs) take(i uint64) bool {
	if o.again {
		return true
	}
	was := o.has(i)
	if o.picked[i] = true; o.from.s.Unique != Repeats {
		o.from.s.taken[o.from.vertex(i)] = true
	}
	return !was
}

// bias gives candidate i's bias, or 0 if it is out. Those that are out are weighed too: what a hook does wrong does not
// depend on what was picked before.
func (o *outs) bias(i int) uint64 {
	bias := o.from.bias(uint64(i))
	if o.has(uint64(i)) {
		return 0
	}
	return bias
}

// all gives every candidate that has a bias and is not out, in their order.
func (s *growing) all(from candidates) (picks []uint64) {
	out := s.outs(from)
	for i := range from.n {
		if out.bias(int(i)) > 0 {
			out.take(i)
			picks = append(picks, i)
		}
	}
	return picks
}

// weighed weighs every candidate once, and picks among those weights.
func (s *growing) weighed(c *Ctx, from candidates, k int) (picks []uint64) {
	out := s.outs(from)
	biases := make([]uint64, from.n)
	for i := range biases {
		biases[i] = out.bias(i)
	}
	if out.again {
		for j := range k {
			if i := selector.Scan(c.key.Word(uint64(j)), len(biases), func(i int) uint64 { return biases[i] }); i >= 0 {
				picks = append(picks, uint64(i))
			}
		}
		return picks
	}
	drop := func(i uint64) {
		out.take(i)
		for j := range biases {
			if out.has(uint64(j)) {
				biases[j] = 0
			}
		}
	}
	return selector.ScanWithout(c.key, uint64(k), biases, drop, nil)
}
