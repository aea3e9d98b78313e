package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// transit is a vertex to be expanded.
type transit struct {
	vertex, prev uint32
	place        int32 // in the row; -1: not there
}

// growing is a sample as it grows.
type growing struct {
	*Growth
	g        *graph.Graph
	key      rng.Key
	row      Row
	roots    int
	walk     bool // one choice a step, under the sample's key
	layered  bool
	pool     []uint32
	transits []transit
	taken    map[uint32]bool // the vertices that Unique keeps from being picked again
}

// Sample is the serial definition. A walk's choice at step s is made with the words at Slot(s, ...) of the sample's key;
// any other with those of Stream(s).Key(t), t being the transit's place among its step's, or 0 for all together.
func (a *Growth) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	s := growing{Growth: a, g: g, key: key, row: row, roots: len(roots), walk: a.walks(len(roots)), layered: a.Layered(len(roots))}
	s.row.Vertices = append(s.row.Vertices, roots...)
	s.row.Ends = append(s.row.Ends, int32(len(roots)))
	for i, v := range roots {
		s.transits = append(s.transits, transit{v, graph.None, int32(i)})
	}
	if a.VertexBias != nil {
		s.pool = append(s.pool, roots...)
	}
	if a.Unique == PerSample {
		s.taken = map[uint32]bool{}
		for _, v := range roots {
			s.taken[v] = true
		}
	}
	for step := 0; a.Steps == 0 || step < a.Steps; step++ {
		if !s.step(step) && a.Width(len(roots)) == 0 {
			break
		}
	}
	s.links()
	if !s.layered {
		s.row.Ends, s.row.Parents = s.row.Ends[:0], s.row.Parents[:0]
	}
	return s.row
}

// step grows the sample by one step, and says whether a transit is left.
func (s *growing) step(step int) bool {
	if s.Unique == PerStep {
		s.taken = map[uint32]bool{}
	}
	now := s.transits
	s.transits = nil
	at := len(s.row.Vertices)
	switch {
	case s.VertexBias != nil:
		s.fromPool(step, now[0])
	case s.Scope == Collective:
		s.together(step, now)
	default:
		for t, one := range now {
			s.expand(s.ctx(step, t, one), one)
		}
	}
	if len(s.row.Vertices) == at { // nothing was chosen: there was no such step
		return false
	}
	s.row.Ends = append(s.row.Ends, int32(len(s.row.Vertices)))
	for _, t := range s.transits {
		if t.vertex != graph.None {
			return true
		}
	}
	return false
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

// Where the words of hooks, and others that are not a choice's own, begin: at a try of a walk's step, and at a slot of
// any other choice's key, with as many for each pick.
const (
	hookTry  = 192
	poolTry  = 224
	hookSlot = 1 << 40
)

// picking has the hooks see pick j.
func (c *Ctx) picking(walk bool, j int) *Ctx {
	c.Slot = j
	if !walk {
		c.words = hookSlot + uint64(j)*UserWords
	}
	return c
}

// expand grows what one transit chooses.
func (s *growing) expand(c *Ctx, t transit) {
	k := s.fanout(c)
	if t.vertex == graph.None || s.Stop != nil && s.Stop(c) {
		s.fill(0, k, t.place)
		return
	}
	first, end := s.g.Row(t.vertex)
	s.grow(c, candidates{s: s, ctx: c, rows: []span{{t, first, end}}, n: end - first}, k)
}

// together grows what all transits choose as one.
func (s *growing) together(step int, now []transit) {
	c := s.ctx(step, 0, transit{graph.None, graph.None, -1})
	all := candidates{s: s, ctx: c}
	for _, t := range now {
		if t.vertex != graph.None {
			first, end := s.g.Row(t.vertex)
			all.rows = append(all.rows, span{t, first, end})
			all.n += end - first
		}
	}
	k := s.fanout(c)
	if len(all.rows) == 0 || s.Stop != nil && s.Stop(c) {
		s.fill(0, k, -1)
		return
	}
	s.grow(c, all, k)
}

// fromPool expands a vertex of the pool, and has what it chose in its place.
func (s *growing) fromPool(step int, last transit) {
	c := s.ctx(step, 0, last)
	word := s.key.Word(rng.Slot(uint64(step), poolTry))
	at := int64(-1)
	if last.vertex != graph.None {
		at = selector.Scan(word, len(s.pool), func(i int) uint64 { return s.VertexBias(c, s.pool[i]) })
	}
	if at < 0 {
		s.fill(0, 1, -1)
		s.transits = []transit{{graph.None, graph.None, -1}}
		return
	}
	c.Transit = s.pool[at]
	s.expand(c, transit{c.Transit, c.Prev, -1})
	if v := s.transits[0].vertex; v != graph.None {
		s.pool[at] = v
	}
}

func (s *growing) fanout(c *Ctx) int {
	if s.Fanout != nil {
		return max(0, s.Fanout(c))
	}
	return s.FanoutAt(c.Step)
}

// grow records what is picked among the candidates.
func (s *growing) grow(c *Ctx, from candidates, k int) {
	if s.Next != nil {
		for j := range k {
			if v := s.Next(c.picking(s.walk, j)); v != graph.None {
				s.add(c, v, graph.NoEdge, from.rows[0].transit, j)
			} else {
				s.fill(j, j+1, from.rows[0].place)
			}
		}
		return
	}
	picks := s.pick(c, from, k)
	for j, p := range picks {
		row, position := from.at(p)
		c.Transit, c.Prev = row.vertex, row.prev
		s.add(c.picking(s.walk, j), s.g.Indices[position], position, row.transit, j)
	}
	if k != All {
		s.fill(len(picks), k, from.rows[0].place)
	}
}

// add records pick j: dst, or the vertex that Update makes of it.
func (s *growing) add(c *Ctx, dst uint32, position uint64, from transit, j int) {
	to := dst
	if s.Update != nil {
		to = s.Update(c, position, dst)
	}
	next := to
	if to == graph.None {
		to = dst
	}
	if to != dst {
		position = graph.NoEdge
	}
	place := int32(len(s.row.Vertices))
	s.row = s.row.Add(to, position)
	s.row.Parents = append(s.row.Parents, from.place)
	s.transits = append(s.transits, transit{next, from.vertex, place})
}

// fill leaves slots [from, to) of a transit empty, where samples have one width.
func (s *growing) fill(from, to int, place int32) {
	for ; from < to && s.Width(s.roots) > 0; from++ {
		s.row = s.row.Add(graph.None, graph.NoEdge)
		s.row.Parents = append(s.row.Parents, place)
		s.transits = append(s.transits, transit{graph.None, graph.None, -1})
	}
}
