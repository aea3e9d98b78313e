package growth

import (
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// proposals is the source of a choice's proposals: the bound of a Bound hook, an alias row, or neither (Uniform).
type proposals struct {
	bound uint64
	row   []index.AliasSlot
}

// proposalsOf returns the source of proposals of the choice in column at.
func (s *selection) proposalsOf(at int, c *choice) (from proposals) {
	switch {
	case s.run.program.Bound != nil:
		t := s.scratch
		t.useStepOf(s.columns)
		t.take(0, s.columns, at)
		t.words[0] = s.columns.words[at]
		s.hooks.bound(t, 1, s.levels)
		from.bound = s.levels[0]
	case s.run.aliases != nil:
		from.row = index.AliasRow(s.run.graph, c.from.vertex)
	}
	return from
}

// propose makes n proposals, with the words from attempt on. It returns a candidate, or -1 if rejected, for each. The next
// call overwrites them.
func (s *selection) propose(at int, c *choice, from proposals, attempt uint64, n int) []int64 {
	key := rng.Key(s.columns.key[at])
	s.proposed = s.proposed[:0]
	switch {
	case s.run.program.Bound != nil:
		s.proposeUnder(from.bound, at, c, attempt, n)
	case s.run.aliases != nil:
		for k := range uint64(n) {
			s.proposed = append(s.proposed, selector.Alias(key.Word(attempt+k), from.row))
		}
	default:
		for k := range uint64(n) {
			s.proposed = append(s.proposed, selector.Uniform(key.Word(attempt+k), c.among.n))
		}
	}
	return s.proposed
}

// proposeUnder makes proposals that are accepted or rejected by their computed biases and a bound.
func (s *selection) proposeUnder(bound uint64, at int, c *choice, attempt uint64, n int) {
	t, key, g := s.scratch, rng.Key(s.columns.key[at]), s.run.graph
	// 1. Draw the candidates and their levels.
	t.useStepOf(s.columns)
	for k := range n {
		i, level := selector.Propose(key.Word(attempt+uint64(k)), c.among.n, bound)
		span, edge := c.among.at(i)
		t.take(k, s.columns, at)
		t.transit[k], t.prev[k], t.reached[k], t.words[k] = span.from.vertex, span.from.prev, span.from.edge, s.columns.words[at]
		t.edge[k], t.dst[k] = edge, g.Indices[edge]
		s.levels[k] = level
		s.proposed = append(s.proposed, int64(i))
	}
	// 2. Compute their biases, and reject those whose bias is not above the level.
	s.hooks.edgeBias(t, n, s.biases)
	for k, bias := range s.biases[:n] {
		if bias > bound {
			s.run.fault(t.row[k], t.step, hook.AboveBound)
		}
		if bias > bound || bias <= s.levels[k] {
			s.proposed[k] = -1
		}
	}
}
