package program

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
)

// partialSample is a sample of a step program while it grows.
type partialSample struct {
	*StepProgram
	g        *graph.Graph
	key      rng.Key
	row      app.Row
	roots    int
	width    int  // of the whole sample, or 0 if samples differ in size; missing vertices then take no place
	walk     bool // whether each step is one choice, under the key of the sample
	pool     []transit
	transits []transit
	excluded map[uint32]bool // vertices that Unique excludes from further picks
}

// ctx returns the context of the choice of transit t of a step.
func (s *partialSample) ctx(step, t int, one transit) *Ctx {
	c := &Ctx{
		Graph: s.g, Sample: s.row.ID, Step: step, Transit: one.vertex, Prev: one.prev, PrevEdge: one.edge, row: &s.row, roots: s.roots,
	}
	c.key, c.words = s.key, rng.Slot(uint64(step), HookTry)
	if !s.walk {
		c.key, c.words = s.key.Stream(uint64(step)).Key(uint64(t)), HookSlot
	}
	return c
}

// fault notes a fault of a user's app.
func (s *partialSample) fault(step int, kind hook.Kind) {
	if s.Faults != nil {
		s.Faults.Note(s.row.ID, step, kind)
	}
}
