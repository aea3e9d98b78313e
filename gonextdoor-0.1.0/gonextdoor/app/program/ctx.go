package program

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// Ctx is the context of a choice, which the engine passes to hooks. A hook must be a pure function of its arguments. A Ctx
// is valid during the call only.
type Ctx struct {
	Graph  *graph.Graph
	Sample uint64 // the id of the sample
	Step   int
	Slot   int // the number of the pick, for Next and Update; 0 for other hooks
	// Transit is the vertex that is expanded; for EdgeBias and Update, the source of the candidate. It is graph.None if all
	// transits choose together, and for VertexBias.
	Transit uint32
	Prev    uint32 // the transit from which Transit was reached, or graph.None
	// PrevEdge is the position of the edge by which Transit was reached: the recorded one. It is graph.NoEdge for a root, if
	// all transits choose together, and if Next chose the vertex or Update replaced it.
	PrevEdge uint64

	key   rng.Key
	words uint64 // the slot of word 0 of the hooks
	row   *app.Row
	roots int
}

// UserWords is the number of random words that hooks have for each pick.
const UserWords = 32

// The first word of hooks and pools, apart from the words of the choice itself: as a try of a step (rng.Slot) for walks,
// and as a slot of the choice's key for all other choices. They are part of the reproducibility contract.
const (
	HookTry  = 192
	PoolTry  = 224
	HookSlot = 1 << 40
)

// Word returns random word i of the hooks, 0 <= i < UserWords. All hooks of a choice see the same words, but Next and Update
// have different ones for each pick.
func (c *Ctx) Word(i int) uint64 { return c.key.Word(c.words + uint64(i)%UserWords) }

// Key returns the key of the choice, whose words precede those of Word.
func (c *Ctx) Key() rng.Key { return c.key }

// Below returns a number below n, uniformly at random by word i, or 0 if n is 0.
func (c *Ctx) Below(i int, n uint64) uint64 { r, _ := rng.Below(c.Word(i), n); return r }

// Chance returns the top 32 bits of word i, which are below p*2^32 with probability p.
func (c *Ctx) Chance(i int) uint64 { return c.Word(i) >> 32 }

// At sets up the context for a choice of an engine. The words of the choice are under key, and those of hooks begin at the
// slot words. row has the vertices of all earlier steps, roots first, and the ends of the steps. If it has no ends, each
// step has one vertex.
func (c *Ctx) At(key rng.Key, words uint64, row *app.Row, roots int) {
	c.key, c.words, c.row, c.roots = key, words, row, roots
}

// Size returns the number of vertices that the sample has after its roots when the step begins, including missing ones.
func (c *Ctx) Size() int { return c.end(c.Step) - c.roots }

// end returns the end of a level in the vertices of the sample. Level 0 is the roots.
func (c *Ctx) end(level int) int {
	if len(c.row.Ends) == 0 {
		return c.roots + level
	}
	return int(c.row.Ends[level])
}

// Roots returns the roots of the sample. The caller must not change them.
func (c *Ctx) Roots() []uint32 { return c.row.Vertices[:c.roots] }

// Last returns the vertices of the i-th last step, in the order of their slots. Last(1) is the current transits, unless they
// are drawn from a pool or Update ended some. The step before the first is the roots; before it, the result is nil. The
// caller must not change the vertices.
func (c *Ctx) Last(i int) []uint32 {
	level := c.Step + 1 - i // 0 is the roots
	switch {
	case i < 1 || level < 0:
		return nil
	case level == 0:
		return c.Roots()
	}
	return c.row.Vertices[c.end(level-1):c.end(level)]
}

// transit is a vertex to be expanded.
type transit struct {
	vertex, prev uint32 // prev is the transit from which vertex was reached, or graph.None
	place        int32  // in the row, or -1
	edge         uint64 // the position of the edge that led to vertex, or graph.NoEdge
}

// noTransit stands for a missing transit.
var noTransit = transit{graph.None, graph.None, -1, graph.NoEdge}

// of returns a copy of c for the transit t.
func (c Ctx) of(t transit) *Ctx {
	c.Transit, c.Prev, c.PrevEdge = t.vertex, t.prev, t.edge
	return &c
}

// picking returns a copy of c for pick j, which has separate random words.
func (c Ctx) picking(j int) *Ctx {
	c.Slot, c.words = j, c.words+uint64(j)*UserWords
	return &c
}
