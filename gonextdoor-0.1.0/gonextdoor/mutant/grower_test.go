package mutant

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// sprout is a transit of a sample.
type sprout struct {
	vertex, prev uint32
	place        int32
}

var barren = sprout{graph.None, graph.None, -1}

// grower runs an program.StepProgram with one fault. Without a fault it has the same distribution, but uses other words.
type grower struct {
	growthFault
	*program.StepProgram
	g             *graph.Graph
	key           rng.Key
	row           app.Row
	roots         int
	padded        bool
	single, walk  bool
	pool, reached []sprout
	taken         map[uint32]bool
}

// growBy returns mutants of users' apps.
func growBy(f growthFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		c, ok := a.(*program.Custom)
		if !ok {
			return nil
		}
		grows := c.StepProgram
		f.change(&grows)
		return func(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
			s := &grower{growthFault: f, StepProgram: &grows, g: g, key: key, row: row, roots: len(roots), padded: grows.Width(len(roots)) > 0}
			s.single = grows.Scope == program.Individual && grows.Unique == program.Repeats && grows.Fanout == nil && len(grows.Fanouts) == 0
			s.walk = s.single && (len(roots) == 1 || grows.VertexBias != nil)
			return s.grow(roots)
		}
	}
}

func (s *grower) grow(roots []uint32) app.Row {
	s.row.Vertices, s.row.Ends = append(s.row.Vertices, roots...), append(s.row.Ends, int32(len(roots)))
	var now []sprout
	s.taken = map[uint32]bool{}
	for i, v := range roots {
		now = append(now, sprout{v, graph.None, int32(i)})
		s.taken[v] = !s.rootsFree
	}
	s.pool = now
	for step := 0; s.Steps == 0 || step < s.Steps; step++ {
		if s.Unique == program.PerStep {
			s.taken = map[uint32]bool{}
		}
		s.reached = nil
		switch {
		case s.VertexBias != nil:
			s.fromPool(step)
		case s.Scope == program.Collective && !s.alone:
			s.together(step, now)
		default:
			for t, one := range now {
				s.expand(s.ctx(step, t, one), one, []sprout{one})
			}
		}
		if now = s.reached; len(now) == 0 {
			break
		}
		if len(s.row.Vertices) > 1000 {
			panic("it does not end")
		}
		s.row.Ends = append(s.row.Ends, int32(len(s.row.Vertices)))
	}
	s.links()
	if !s.Layered(s.roots) {
		s.row.Ends, s.row.Parents = s.row.Ends[:0], s.row.Parents[:0]
	}
	return s.row
}

func (s *grower) ctx(step, t int, one sprout) *program.Ctx {
	c := &program.Ctx{Graph: s.g, Sample: s.row.ID, Step: step, Transit: one.vertex, Prev: one.prev}
	if s.walk {
		c.At(s.key, rng.Slot(uint64(step), 192), &s.row, s.roots)
	} else {
		c.At(s.keyOf(step, t), 1<<40, &s.row, s.roots)
	}
	return c
}

func (s *grower) keyOf(step, t int) rng.Key {
	if s.oneStepKey {
		step = 0
	}
	if s.oneTransitKey {
		t = 0
	}
	return s.key.Stream(uint64(step)).Key(uint64(t))
}

func (s *grower) together(step int, now []sprout) {
	var live []sprout
	for _, t := range now {
		if t.vertex != graph.None {
			live = append(live, t)
		}
	}
	s.expand(s.ctx(step, 0, barren), barren, live)
}

func (s *grower) fromPool(step int) {
	pool := s.pool
	s.pool = nil
	c := s.ctx(step, 0, barren)
	at := selector.Scan(s.key.Word(rng.Slot(uint64(step), 224)), len(pool), func(i int) uint64 {
		if b := s.VertexBias(c, pool[i].vertex); b == 0 || !s.poolEqual {
			return b
		}
		return 1
	})
	if at < 0 {
		s.fill(1)
		return
	}
	s.expand(s.ctx(step, 0, pool[at]), pool[at], pool[at:at+1])
	if len(s.reached) == 1 && s.reached[0].vertex != graph.None {
		if !s.poolKept {
			pool[at] = s.reached[0]
		}
		s.pool = pool
	}
}

// expand makes the choice of the transits in from.
func (s *grower) expand(c *program.Ctx, of sprout, from []sprout) {
	if len(from) == 0 || from[0].vertex == graph.None || s.Stop != nil && s.Stop(c) {
		s.fill(s.FanoutAt(c.Step))
		return
	}
	k := s.FanoutAt(c.Step)
	if s.Fanout != nil {
		k = s.Fanout(c)
	}
	if s.freshTransits {
		s.taken = map[uint32]bool{}
	}
	key, first := s.keyOf(c.Step, int(max(0, of.place))-s.levelStart(of)), uint64(0)
	if s.walk {
		key, first = s.key, rng.Slot(uint64(c.Step), 0)
	}
	if s.Next != nil {
		for j := range k {
			if v := s.Next(s.picking(c, j, key, of)); v == graph.None {
				s.fill(1)
			} else {
				s.add(s.picking(c, j, key, of), v, graph.NoEdge, of)
			}
		}
		return
	}
	picks, owners, edges := s.pick(c, key, first, k, from)
	for j, i := range picks {
		s.add(s.picking(c, j, key, owners[i]), s.g.Indices[edges[i]], edges[i], owners[i])
	}
	s.fill(k - len(picks))
}

// levelStart returns the first place of the transit's step.
func (s *grower) levelStart(of sprout) int {
	start := 0
	for _, end := range s.row.Ends[:len(s.row.Ends)-1] {
		if of.place >= end {
			start = int(end)
		}
	}
	return start
}

func (s *grower) picking(c *program.Ctx, j int, key rng.Key, of sprout) *program.Ctx {
	d := *c
	d.Slot, d.Transit, d.Prev = j, of.vertex, of.prev
	if !s.walk {
		words := uint64(1 << 40)
		if !s.sharedWords {
			words += uint64(j) * program.UserWords
		}
		d.At(key, words, &s.row, s.roots)
	}
	return &d
}

// pick chooses k of the edges of transits by their weights.
func (s *grower) pick(c *program.Ctx, key rng.Key, first uint64, k int, from []sprout) (picks []int, owners []sprout, edges []uint64) {
	if s.single && s.Bound != nil && s.g.Degree(from[0].vertex) > 0 {
		switch e := s.propose(c, key, first, from[0]); {
		case e >= 0:
			return []int{0}, from, []uint64{uint64(e)}
		case s.giveUp:
			return nil, nil, nil
		}
	}
	var weights []uint64
	for _, t := range from {
		begin, end := s.g.Row(t.vertex)
		for e := begin; e < end; e++ {
			w := s.weigh(c, t, e)
			if s.Unique != program.Repeats && s.taken[s.g.Indices[e]] {
				w = 0
			}
			owners, edges, weights = append(owners, t), append(edges, e), append(weights, w)
		}
	}
	return s.choose(key, first, k, owners, edges, weights), owners, edges
}

// weigh returns the bias of an edge.
func (s *grower) weigh(c *program.Ctx, t sprout, e uint64) uint64 {
	d := *c
	d.Transit, d.Prev = t.vertex, t.prev
	if s.prevIsSelf {
		d.Prev = t.vertex
	}
	switch {
	case s.EdgeBias != nil:
		return s.EdgeBias(&d, e, s.g.Indices[e])
	case s.Weighted == app.Yes:
		return uint64(s.g.Biases[e])
	}
	return 1
}

// propose returns an edge that was accepted under the bound, or -1.
func (s *grower) propose(c *program.Ctx, key rng.Key, first uint64, from sprout) int64 {
	begin, n := s.g.Indptr[from.vertex], s.g.Degree(from.vertex)
	bound := s.Bound(c)
	for t := range program.Tries(n) {
		word := key.Word(first + t)
		i, rest := bits.Mul64(word, n)
		if s.index != nil {
			i = s.index(word, n)
		}
		level, _ := bits.Mul64(rest, bound)
		if w := s.weigh(c, from, begin+i); level < w || s.keep || s.atMost && level == w {
			return int64(begin + i)
		}
	}
	return -1
}

func (s *grower) choose(key rng.Key, first uint64, k int, owners []sprout, edges, weights []uint64) (picks []int) {
	again := s.Replace && s.Unique == program.Repeats
	drop := func(i int) {
		for j := range weights {
			if j == i || s.Unique != program.Repeats && s.g.Indices[edges[j]] == s.g.Indices[edges[i]] {
				weights[j] = 0
			}
		}
		s.taken[s.g.Indices[edges[i]]] = true
	}
	switch {
	case len(weights) == 0:
	case s.single:
		i := -1
		if s.EdgeBias == nil {
			i = s.scanOf(key.Word(first), weights)
		} else {
			i = s.reservoirOf(key.Stream(first+selector.MaxTries).Key(0), weights)
		}
		if i >= 0 {
			picks = append(picks, i)
		}
	case k == app.All || len(weights) <= k && !again:
		for i := range weights {
			if weights[i] > 0 || s.all && !s.taken[s.g.Indices[edges[i]]] {
				picks = append(picks, i)
				drop(i)
			}
		}
	case s.transitFirst && s.Scope == program.Collective:
		picks = transitFirst(key, k, owners, weights, drop, again)
	case again:
		for j := range k {
			word := key.Word(uint64(j))
			if s.oneWord {
				word = key.Word(0)
			}
			if i := s.scanOf(word, weights); i >= 0 {
				picks = append(picks, i)
			}
		}
	default:
		picks = s.severalOf(key, k, weights, drop)
	}
	return picks
}

// add appends a pick, as Update changes it.
func (s *grower) add(c *program.Ctx, dst uint32, position uint64, from sprout) {
	next := dst
	if s.Update != nil {
		next = s.Update(c, position, dst)
	}
	to := next
	if to == graph.None || s.unrecorded {
		to = dst
	}
	if next == graph.None && s.dropEnded {
		s.fill(1)
		return
	}
	if to != dst {
		position = graph.NoEdge
	}
	parent := from.place
	if s.parentInStep {
		parent -= int32(s.levelStart(from))
	}
	s.row = s.row.Add(to, position)
	s.row.Parents = append(s.row.Parents, parent)
	if s.stillGrows && next == graph.None {
		next = dst
	}
	s.reached = append(s.reached, sprout{next, from.vertex, int32(len(s.row.Vertices) - 1)})
}

func (s *grower) fill(n int) {
	for range n {
		if s.padded {
			s.row = s.row.Add(graph.None, graph.NoEdge)
			s.row.Parents = append(s.row.Parents, -1)
			s.reached = append(s.reached, barren)
		}
	}
}
