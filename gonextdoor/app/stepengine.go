package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
)

// What engines need that run a StepProgram by their own loops.

// Lanes gives how many walkers a sample with so many roots is, each making one pick a step whatever the others do: 1, or
// one for each root; 0 where samples are something else.
func (a *StepProgram) Lanes(roots int) int {
	switch {
	case a.Layered(roots):
		return 0
	case a.walks(roots):
		return 1
	case a.single():
		return roots
	default:
		return 0
	}
}

// Single says whether each transit makes one pick, as walkers do.
func (a *StepProgram) Single() bool { return a.single() }

// Walks says whether a sample is one walk, whose choices hang under the sample's own key.
func (a *StepProgram) Walks(roots int) bool { return a.walks(roots) }

// Where words that are not a choice's own begin: the hooks' at a try of a walk's step, the pool's likewise, and the hooks'
// of any other choice.
const (
	HookTry  = hookTry
	PoolTry  = poolTry
	HookSlot = hookSlot
)

// PickCount is the number of picks where Fanout returned k.
func (a *StepProgram) PickCount(c *Ctx, k int) int {
	if k < 0 || a.Faults != nil && k > mostDrawn {
		if a.Faults != nil {
			a.Faults.Note(c.Sample, c.Step, hook.BadFanout)
		}
		return 0
	}
	return k
}

// Linked records the edges of a whole sample, as Record says.
func (a *StepProgram) Linked(g *graph.Graph, row Row) Row {
	s := growing{StepProgram: a, g: g, row: row}
	s.links()
	return s.row
}

// Compiled is what an engine needs to call an app's kernels by itself.
type Compiled struct {
	hook.Kernels
	State  *hook.State
	Reads  hook.Reads
	Strict bool
	Landed func(c *Ctx, v uint32) uint32 // Custom's
}

// Compiled gives the kernels of a bound app; those that it has not are 0.
func (a *Custom) Compiled() Compiled {
	return Compiled{a.Kernels, a.state, a.Reads, a.Strict, a.Landed}
}
