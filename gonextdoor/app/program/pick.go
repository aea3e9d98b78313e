package program

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// span is a transit and the range of positions of its edges.
type span struct {
	transit
	first, end uint64
}

// candidates are the edges from which a choice is made: those of one transit, or of all transits, row after row.
type candidates struct {
	s    *partialSample
	ctx  *Ctx
	of   transit // the transit that chooses; noTransit if all choose together
	rows []span
	n    uint64

	order []uint64 // the positions of the candidates, if StepProgram.Follows is set
}

// at returns the row and the position of candidate i.
func (c candidates) at(i uint64) (span, uint64) {
	if c.order != nil {
		return c.rows[0], c.order[i]
	}
	for _, r := range c.rows {
		if i < r.end-r.first {
			return r, r.first + i
		}
		i -= r.end - r.first
	}
	panic("app: no such candidate")
}

// vertex returns the end point of candidate i.
func (c candidates) vertex(i uint64) uint32 {
	_, position := c.at(i)
	return c.s.g.Indices[position]
}

// bias returns the bias of candidate i.
func (c candidates) bias(i uint64) uint64 {
	row, position := c.at(i)
	switch {
	case c.s.EdgeBias != nil:
		return c.s.EdgeBias(c.ctx.of(row.transit), position, c.s.g.Indices[position])
	case c.s.Weighted == app.Yes:
		return uint64(c.s.g.Biases[position])
	default:
		return 1
	}
}

// pick selects k of the candidates, by the selector that StepProgram.Selector names. It returns their numbers.
func (s *partialSample) pick(c *Ctx, from candidates, k int) []uint64 {
	static := s.static()
	switch {
	case from.n == 0:
		return nil
	case s.Single():
		if i := s.one(c, from); i >= 0 {
			return []uint64{uint64(i)}
		}
		return nil
	case k == app.All || from.n <= uint64(k) && (!s.Replace || s.Unique != Repeats):
		return s.all(from)
	case s.Unique != Repeats && static, s.Bound != nil:
		out := s.exclusions(from)
		return selector.Distinct(c.key, uint64(k), int(from.n), s.proposer(c, from), out.bias, out.take, nil)
	case static && s.Scope == Individual:
		return app.Choices(index.CandidatesOf(s.g, from.of.vertex), c.key, uint64(k), s.Replace, s.Weighted)
	case static && s.Replace:
		return app.Choices(index.Candidates{N: from.n}, c.key, uint64(k), true, app.No)
	case static:
		return selector.Permute(c.key, uint64(k), from.n, nil)
	default:
		return s.weighed(c, from, k)
	}
}

// one makes the choice of a walker, or returns -1. Without a computed bias, the first word of the choice selects an edge by
// weight or uniformly. With one, Tries proposals are made under the bound, if there is one. If all are rejected, one pass
// over the candidates selects, with the words under the word MaxTries after the first. The first word of a walk's choice is
// that at Slot(step, 0).
func (s *partialSample) one(c *Ctx, from candidates) int64 {
	first := uint64(0)
	if s.walk {
		first = rng.Slot(uint64(c.Step), 0)
	}
	if s.EdgeBias == nil {
		return app.Pick(index.CandidatesOf(s.g, from.of.vertex), c.key.Word(first), s.Weighted)
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

// propose draws a candidate uniformly and accepts it with probability bias/bound. It returns -1 if it is rejected.
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

// proposer returns the function that draws one candidate for a word: under the bound, by weight, or uniformly.
func (s *partialSample) proposer(c *Ctx, from candidates) func(word uint64) int64 {
	switch {
	case s.Bound != nil:
		bound := s.Bound(c)
		return func(word uint64) int64 { return from.propose(word, bound) }
	case s.Scope == Individual:
		row := index.CandidatesOf(s.g, from.of.vertex)
		return func(word uint64) int64 { return app.Pick(row, word, s.Weighted) }
	default:
		return func(word uint64) int64 { return selector.Uniform(word, from.n) }
	}
}

// exclusions are the candidates of a choice that cannot be picked any more: with unique vertices, those whose end point is in
// the sample or step; otherwise, those that were picked.
type exclusions struct {
	from   candidates
	none   bool // candidates may be picked again, so none is ever excluded
	picked map[uint64]bool
}

func (s *partialSample) exclusions(from candidates) *exclusions {
	return &exclusions{from, s.Replace && s.Unique == Repeats, map[uint64]bool{}}
}

// has reports whether candidate i is excluded.
func (o *exclusions) has(i uint64) bool {
	if o.from.s.Unique != Repeats {
		return o.from.s.excluded[o.from.vertex(i)]
	}
	return o.picked[i]
}

// take excludes candidate i and reports whether it was eligible.
func (o *exclusions) take(i uint64) bool {
	if o.none {
		return true
	}
	was := o.has(i)
	if o.picked[i] = true; o.from.s.Unique != Repeats {
		o.from.s.excluded[o.from.vertex(i)] = true
	}
	return !was
}

// bias returns the bias of candidate i, or 0 if it is excluded. The hook is called for excluded candidates too, so that its
// faults do not depend on earlier picks.
func (o *exclusions) bias(i int) uint64 {
	bias := o.from.bias(uint64(i))
	if o.has(uint64(i)) {
		return 0
	}
	return bias
}

// all picks every candidate that has a bias and is not excluded, in order.
func (s *partialSample) all(from candidates) (picks []uint64) {
	out := s.exclusions(from)
	for i := range from.n {
		if out.bias(int(i)) > 0 {
			out.take(i)
			picks = append(picks, i)
		}
	}
	return picks
}

// weighed computes the bias of every candidate once, and picks k by Scan or ScanWithout.
func (s *partialSample) weighed(c *Ctx, from candidates, k int) (picks []uint64) {
	// 1. Compute the biases.
	out := s.exclusions(from)
	biases := make([]uint64, from.n)
	for i := range biases {
		biases[i] = out.bias(i)
	}
	// 2. With replacement, each pick is independent.
	if out.none {
		for j := range k {
			if i := selector.Scan(c.key.Word(uint64(j)), len(biases), func(i int) uint64 { return biases[i] }); i >= 0 {
				picks = append(picks, uint64(i))
			}
		}
		return picks
	}
	// 3. Without replacement, a pick excludes itself and all candidates that lead to the same vertex, if vertices are unique.
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
