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
	Transit uint32 // the vertex being expanded; graph.None where all transits are, together
	Prev    uint32 // the transit that it was reached from, or graph.None

	key   rng.Key
	words uint64 // the slot of the hook's own word 0
	row   *Row
	roots int
}

// UserWords is how many words of its own a hook has for each choice.
const UserWords = 32

// Word gives the hook's own random word i, of UserWords. All hooks of one choice see the same words.
func (c *Ctx) Word(i int) uint64 { return c.key.Word(c.words + uint64(i)%UserWords) }

// Below gives a number below n by word i.
func (c *Ctx) Below(i int, n uint64) uint64 { r, _ := rng.Below(c.Word(i), n); return r }

// Chance gives the top 32 bits of word i: below p*2^32 with probability p.
func (c *Ctx) Chance(i int) uint64 { return c.Word(i) >> 32 }

// Size gives the vertices that the sample has behind its roots.
func (c *Ctx) Size() int { return len(c.row.Vertices) - c.roots }

// Roots gives the sample's roots.
func (c *Ctx) Roots() []uint32 { return c.row.Vertices[:c.roots] }

// Last gives the vertices of the i-th last step, in the order of their slots: those of Last(1) are the present transits,
// but where updates or pools made them others. Steps before the first are the roots; before those is nothing.
func (c *Ctx) Last(i int) []uint32 {
	level := c.Step + 1 - i // 0 is the roots'
	switch {
	case i < 1 || level < 0:
		return nil
	case level == 0:
		return c.Roots()
	}
	first := c.roots
	if level > 1 {
		first = int(c.row.Ends[level-1])
	}
	return c.row.Vertices[first:c.row.Ends[level]]
}
