package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// Ctx is what a hook sees of the choice that it takes part in. Hooks must be pure functions of it.
type Ctx struct {
	Graph   *graph.Graph
	Sample  uint64 // the sample's id
	Step    int
	Slot    int    // which of the transit's picks, for Next and Update; 0 otherwise
	Transit uint32 // the vertex being expanded, for EdgeBias and Update the candidate's; graph.None where there is none: all transits choose together, or a pool is asked for one
	Prev    uint32 // the transit that it was reached from, or graph.None

	key   rng.Key
	words uint64 // the slot of the hook's own word 0
	row   *Row
	roots int
}

// UserWords is how many words of its own a hook has for each pick.
const UserWords = 32

// Where words that are not a choice's own begin: at a try of a walk's step, and at a slot of any other choice's key.
const (
	hookTry  = 192
	poolTry  = 224
	hookSlot = 1 << 40
)

// Word gives the hook's own random word i, of UserWords. All hooks of one choice see the same words, but Next and Update
// have others for each of several picks.
func (c *Ctx) Word(i int) uint64 { return c.key.Word(c.words + uint64(i)%UserWords) }

// Below gives a number below n by word i.
func (c *Ctx) Below(i int, n uint64) uint64 { r, _ := rng.Below(c.Word(i), n); return r }

// Chance gives the top 32 bits of word i: below p*2^32 with probability p.
func (c *Ctx) Chance(i int) uint64 { return c.Word(i) >> 32 }

// At has the ctx stand for a choice of an engine's, whose words hang under key, the hook's own from the slot words on. Of
// row it needs the vertices of all earlier steps, roots first, and where the steps end; no ends: each has one vertex.
func (c *Ctx) At(key rng.Key, words uint64, row *Row, roots int) {
	c.key, c.words, c.row, c.roots = key, words, row, roots
}

// Size gives the vertices that the sample has behind its roots as the step begins, missing ones included.
func (c *Ctx) Size() int { return c.end(c.Step) - c.roots }

// end gives where a level ends among the sample's vertices; level 0 is the roots'.
func (c *Ctx) end(level int) int {
	if len(c.row.Ends) == 0 {
		return c.roots + level
	}
	return int(c.row.Ends[level])
}

// Roots gives the sample's roots.
func (c *Ctx) Roots() []uint32 { return c.row.Vertices[:c.roots] }

// Last gives the vertices of the i-th last step, in the order of their slots: those of Last(1) are the present transits,
// but where a pool gives them, or where Update had nothing grow. Steps before the first are the roots; before those is
// nothing.
func (c *Ctx) Last(i int) []uint32 {
	level := c.Step + 1 - i // 0 is the roots'
	switch {
	case i < 1 || level < 0:
		return nil
	case level == 0:
		return c.Roots()
	}
	return c.row.Vertices[c.end(level-1):c.end(level)]
}

// of gives what hooks see where t is the transit.
func (c Ctx) of(t transit) *Ctx {
	c.Transit, c.Prev = t.vertex, t.prev
	return &c
}

// picking gives what hooks see of pick j.
func (c Ctx) picking(j int) *Ctx {
	c.Slot, c.words = j, c.words+uint64(j)*UserWords
	return &c
}
