package app

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// transit is a vertex to be expanded.
type transit struct {
	vertex, prev uint32
	place        int32 // in the row, or -1
}

// nowhere is no transit.
var nowhere = transit{graph.None, graph.None, -1}

// growing is a sample as it grows.
type growing struct {
	*StepProgram
	g        *graph.Graph
	key      rng.Key
	row      Row
	roots    int
	width    int  // of the whole sample, or 0 where samples differ in size: what is missing then leaves no place
	walk     bool // one choice a step, under the sample's key
	pool     []transit
	transits []transit
	taken    map[uint32]bool // the vertices that Unique keeps from being picked again
}

// Sample is the serial definition. A walk's choice at step s is made with the words at Slot(s, ...) of the sample's key;
// any other with those of Stream(s).Key(t), t being the transit's place among its step's, or 0 for all together.
func (a *StepProgram) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	s := growing{StepProgram: a, g: g, key: key, row: row, roots: len(roots), width: a.Width(len(roots)), walk: a.walks(len(roots))}
	s.row.Vertices = append(s.row.Vertices, roots...)
	s.row.Ends = append(s.row.Ends, int32(len(roots)))
	for i, v := range roots {
		s.transits = append(s.transits, transit{v, graph.None, int32(i)})
	}
	if a.VertexBias != nil {
		s.pool = s.transits
	}
	if a.Unique == PerSample {
		s.taken = map[uint32]bool{}
		for _, v := range roots {
			s.taken[v] = true
		}
	}
	for step := 0; a.Steps == 0 || step < a.Steps; step++ {
		if step == mostSteps && s.endless(step) || !s.step(step) && s.width == 0 {
			break
		}
	}
	s.links()
	if !a.Layered(len(roots)) {
		s.row.Ends, s.row.Parents = s.row.Ends[:0], s.row.Parents[:0]
	}
	return s.row
}

// step grows the sample by one step, and says whether a transit is left. A step that nothing was chosen at is none.
func (s *growing) step(step int) bool {
	if s.Unique == PerStep {
		s.taken = map[uint32]bool{}
	}
	now := s.transits
	s.transits = nil
	switch {
	case s.VertexBias != nil:
		s.fromPool(step)
	case s.Scope == Collective:
		s.together(step, now)
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

// ctx is what hooks see of transit t of a step.
func (s *growing) ctx(step, t int, one transit) *Ctx {
	c := &Ctx{Graph: s.g, Sample: s.row.ID, Step: step, Transit: one.vertex, Prev: one.prev, row: &s.row, roots: s.roots}
	c.key, c.words = s.key, rng.Slot(uint64(step), hookTry)
	if !s.walk {
		c.key, c.words = s.key.Stream(uint64(step)).Key(uint64(t)), hookSlot
	}
	return c
}

// expand grows what one transit chooses.
func (s *growing) expand(c *Ctx, t transit) {
	if t.vertex == graph.None || s.Stop != nil && s.Stop(c) {
		s.fill(s.FanoutAt(c.Step))
		return
	}
	first, end := s.g.Row(t.vertex)
	s.grow(c, candidates{s: s, ctx: c, of: t, rows: []span{{t, first, end}}, n: end - first})
}

// together grows what all transits choose as one.
func (s *growing) together(step int, now []transit) {
	c := s.ctx(step, 0, nowhere)
	all := candidates{s: s, ctx: c, of: nowhere}
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

// fromPool expands a vertex of the pool, and has what it chose in its place. A walk that finds no way on has ended.
func (s *growing) fromPool(step int) {
	pool := s.pool
	s.pool = nil
	c := s.ctx(step, 0, nowhere)
	at := selector.Scan(s.key.Word(rng.Slot(uint64(step), poolTry)), len(pool), func(i int) uint64 {
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

// grow records what is picked among the candidates.
func (s *growing) grow(c *Ctx, from candidates) {
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

// fanout gives how many are picked.
func (s *growing) fanout(c *Ctx) int {
	if s.Fanout == nil {
		return s.FanoutAt(c.Step)
	}
	return s.PickCount(c, s.Fanout(c))
}

// add records a pick: dst, or the vertex that Update makes of it.
func (s *growing) add(c *Ctx, dst uint32, position uint64, from transit) {
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
	s.transits = append(s.transits, transit{next, from.vertex, int32(len(s.row.Vertices) - 1)})
}

// fill leaves n slots empty, where samples have one width.
func (s *growing) fill(n int) {
	for range n {
		if s.width > 0 {
			s.row = s.row.Add(graph.None, graph.NoEdge)
			s.row.Parents = append(s.row.Parents, -1)
			s.transits = append(s.transits, nowhere)
		}
	}
}

// Bounds of what a user's app may do.
const (
	mostSteps = hook.MaxSteps  // where it has no other end
	mostDrawn = hook.MaxFanout // picks that Fanout asks for
)

// endless says that a user's sample has not ended after mostSteps.
func (s *growing) endless(step int) bool {
	if s.Steps > 0 || s.Faults == nil {
		return false
	}
	s.fault(step, hook.NeverEnds)
	return true
}

func (s *growing) fault(step int, kind hook.Kind) {
	if s.Faults != nil {
		s.Faults.Note(s.row.ID, step, kind)
	}
}
