package program

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Sample is the serial definition. The choice of a walk at step s takes the words at Slot(s, ...) of the sample's key. Any
// other choice takes those of Stream(s).Key(t), t being the number of the transit in its step, or 0 for a collective choice.
func (a *StepProgram) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	// 1. Begin with the roots.
	s := partialSample{
		StepProgram: a, g: g, key: key, row: row, roots: len(roots), width: a.Width(len(roots)), walk: a.Walks(len(roots)),
	}
	s.row.Vertices = append(s.row.Vertices, roots...)
	s.row.Ends = append(s.row.Ends, int32(len(roots)))
	for i, v := range roots {
		s.transits = append(s.transits, transit{v, graph.None, int32(i), graph.NoEdge})
	}
	if a.VertexBias != nil {
		s.pool = s.transits
	}
	if a.Unique == PerSample {
		s.excluded = map[uint32]bool{}
		for _, v := range roots {
			s.excluded[v] = true
		}
	}
	// 2. Take the steps. A sample of fixed width takes all of them, and is filled with missing vertices.
	for step := 0; a.Steps == 0 || step < a.Steps; step++ {
		if step == maxSteps && s.endless(step) || !s.step(step) && s.width == 0 {
			break
		}
	}
	// 3. Record the links.
	s.links()
	if !a.Layered(len(roots)) {
		s.row.Ends, s.row.Parents = s.row.Ends[:0], s.row.Parents[:0]
	}
	return s.row
}

// step grows the sample by one step and reports whether it has a transit for the next. An empty step is omitted.
func (s *partialSample) step(step int) bool {
	if s.Unique == PerStep {
		s.excluded = map[uint32]bool{}
	}
	now := s.transits
	s.transits = nil
	switch {
	case s.VertexBias != nil:
		s.fromPool(step)
	case s.Scope == Collective:
		s.collective(step, now)
	default:
		for t, one := range now {
			if s.row.Stopped() {
				return false
			}
			s.expand(s.ctx(step, t, one), one)
		}
	}
	if len(s.transits) > 0 {
		s.row.Ends = append(s.row.Ends, int32(len(s.row.Vertices)))
	}
	return slices.ContainsFunc(s.transits, func(t transit) bool { return t.vertex != graph.None })
}

// expand makes the choice of one transit and appends the result.
func (s *partialSample) expand(c *Ctx, t transit) {
	if t.vertex == graph.None || s.Stop != nil && s.Stop(c) {
		s.fill(s.FanoutAt(c.Step))
		return
	}
	first, end := s.g.Row(t.vertex)
	from := candidates{s: s, ctx: c, of: t, rows: []span{{t, first, end}}, n: end - first}
	if s.Follows != nil {
		from.order = s.following(t)
		from.n = uint64(len(from.order))
	}
	s.grow(c, from)
}

// following returns the positions of the edges of a transit that may follow the edge by which it was reached, in the order of
// Follows. Edges of equal time are in the order of the row.
func (s *partialSample) following(t transit) []uint64 {
	order, times := *s.Follows, s.g.Times
	positions := []uint64{}
	for p, end := s.g.Row(t.vertex); p < end; p++ {
		if t.edge == graph.NoEdge || order.Follows(times[p], times[t.edge]) {
			positions = append(positions, p)
		}
	}
	slices.SortStableFunc(positions, func(a, b uint64) int { return order.Compare(times[a], times[b]) })
	return positions
}

// collective makes the choice of all transits together and appends the result.
func (s *partialSample) collective(step int, now []transit) {
	c := s.ctx(step, 0, noTransit)
	all := candidates{s: s, ctx: c, of: noTransit}
	for _, t := range now {
		if t.vertex != graph.None {
			first, end := s.g.Row(t.vertex)
			all.rows = append(all.rows, span{t, first, end})
			all.n += end - first
		}
	}
	if len(all.rows) == 0 || s.Stop != nil && s.Stop(c) {
		s.fill(s.FanoutAt(step))
		return
	}
	s.grow(c, all)
}

// fromPool expands a vertex of the pool, drawn by VertexBias, and replaces it with the vertex chosen. If no vertex has a
// bias, or none is chosen, the walk ends: the pool stays empty.
func (s *partialSample) fromPool(step int) {
	pool := s.pool
	s.pool = nil
	c := s.ctx(step, 0, noTransit)
	at := selector.Scan(s.key.Word(rng.Slot(uint64(step), PoolTry)), len(pool), func(i int) uint64 {
		return s.VertexBias(c, pool[i].vertex)
	})
	if at < 0 {
		s.fill(1)
		return
	}
	s.expand(s.ctx(step, 0, pool[at]), pool[at])
	if len(s.transits) == 1 && s.transits[0].vertex != graph.None {
		pool[at] = s.transits[0]
		s.pool = pool
	}
}

// grow picks among the candidates, or by Next, and appends the picks.
func (s *partialSample) grow(c *Ctx, from candidates) {
	k := s.fanout(c)
	if s.Next != nil {
		for j := range k {
			if v := s.Next(c.picking(j)); v != graph.None {
				s.add(c.picking(j), v, graph.NoEdge, from.of)
			} else {
				s.fill(1)
			}
		}
		return
	}
	picks := s.pick(c, from, k)
	for j, p := range picks {
		row, position := from.at(p)
		s.add(c.of(row.transit).picking(j), s.g.Indices[position], position, row.transit)
	}
	s.fill(k - len(picks))
}

// fanout returns the number of picks of a choice.
func (s *partialSample) fanout(c *Ctx) int {
	if s.Fanout == nil {
		return s.FanoutAt(c.Step)
	}
	return s.PickCount(c, s.Fanout(c))
}

// add appends a pick: dst, or the vertex that Update returns for it.
func (s *partialSample) add(c *Ctx, dst uint32, position uint64, from transit) {
	next := dst
	if s.Update != nil {
		next = s.Update(c, position, dst)
	}
	to := next
	if to == graph.None {
		to = dst
	}
	if to != dst {
		position = graph.NoEdge
	}
	s.row = s.row.Add(to, position)
	s.row.Parents = append(s.row.Parents, from.place)
	s.transits = append(s.transits, transit{next, from.vertex, int32(len(s.row.Vertices) - 1), position})
}

// fill appends n missing vertices if samples have a fixed width.
func (s *partialSample) fill(n int) {
	for range n {
		if s.width > 0 {
			s.row = s.row.Add(graph.None, graph.NoEdge)
			s.row.Parents = append(s.row.Parents, -1)
			s.transits = append(s.transits, noTransit)
		}
	}
}

// endless notes a fault if a sample of a user's app has not ended after maxSteps, and reports whether it did.
func (s *partialSample) endless(step int) bool {
	if s.Steps > 0 || s.Faults == nil {
		return false
	}
	s.fault(step, hook.NeverEnds)
	return true
}
