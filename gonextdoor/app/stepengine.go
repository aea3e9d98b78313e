package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
)

// This file has the parts of a StepProgram that engines call from their loops.

// Lanes returns the number of independent walkers of a sample with the given number of roots: 1, or one per root. It is 0 if
// samples do not consist of walkers that make one pick per step.
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

// Single reports whether each transit makes one pick, as walkers do.
func (a *StepProgram) Single() bool { return a.single() }

// Walks reports whether a sample is one walk, whose choices are made under the key of the sample.
func (a *StepProgram) Walks(roots int) bool { return a.walks(roots) }

// The first words of hooks and pools: as tries of a walk's step (HookTry, PoolTry), and as a slot of any other choice's key.
const (
	HookTry  = hookTry
	PoolTry  = poolTry
	HookSlot = hookSlot
)

// PickCount returns the number of picks if the hook Fanout returned k: k, or 0 after noting a fault if k is out of range.
func (a *StepProgram) PickCount(c *Ctx, k int) int {
	if k < 0 || a.Faults != nil && k > maxPicks {
		if a.Faults != nil {
			a.Faults.Note(c.Sample, c.Step, hook.BadFanout)
		}
		return 0
	}
	return k
}

// Linked returns a complete sample with its links, as Record requires.
func (a *StepProgram) Linked(g *graph.Graph, row Row) Row {
	s := partialSample{StepProgram: a, g: g, row: row}
	s.links()
	return s.row
}

// Compiled has the compiled hooks of an app, for engines that call them for many choices at a time.
type Compiled struct {
	hook.Kernels
	State       *hook.State
	Reads       hook.Reads
	Strict      bool
	ValidVertex func(c *Ctx, v uint32) uint32 // Custom.ValidVertex
}

// Compiled returns the compiled hooks of a bound app. The address of a missing one is 0.
func (a *Custom) Compiled() Compiled {
	return Compiled{a.Kernels, a.state, a.Reads, a.Strict, a.ValidVertex}
}
