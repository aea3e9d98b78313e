package stage

import "gonextdoor/gonextdoor/plan"

// Walkers is a group of walkers, place by place. Drivers fill what their stages read.
type Walkers struct {
	Key    [plan.Group]uint64 // rng.Key of the sample
	Term   [plan.Group]uint64 // of the next word: (slot+1)*Gamma
	Next   [plan.Group]uint64 // Term of the first try of the next step
	Out    [plan.Group]uint64 // where the next vertex is written
	Sample [plan.Group]uint64 // row of the result

	Position [plan.Group]uint64 // of the chosen edge, or of the alias slot that decides it
	Edge     [plan.Group]uint64 // of the edge that a choice takes, or graph.NoEdge
	Hash     [plan.Group]uint64 // of the pairs in Check

	Vertex    [plan.Group]uint32 // where the walker is
	Previous  [plan.Group]uint32 // where it was before, or graph.None
	Candidate [plan.Group]uint32 // where it may go
	Fraction  [plan.Group]uint32 // decides the alias slot
	Accept    [plan.Group]uint32 // decides whether the candidate is taken, or the walk stops
	Accepted  [plan.Group]uint32 // 1 or 0
	Check     [plan.Group]uint32 // places whose candidate must be looked up
	Event     [plan.Group]uint32 // what a stage leaves to its driver
}
