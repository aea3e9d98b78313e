package stage

import "gonextdoor/gonextdoor/plan"

// Walkers is the state of a group of walkers, with one array per field. Drivers fill the fields that their stages read. It
// serves one thread.
type Walkers struct {
	Key    [plan.Group]uint64 // rng.Key of the sample
	Term   [plan.Group]uint64 // of the next word: (slot+1)*Gamma
	Next   [plan.Group]uint64 // Term of the first try of the next step
	Out    [plan.Group]uint64 // index of the next vertex in the result
	Sample [plan.Group]uint64 // row of the result

	Position [plan.Group]uint64 // of the chosen edge, or of the alias slot that decides it
	Edge     [plan.Group]uint64 // position of the edge that the walker follows, or graph.NoEdge
	Hash     [plan.Group]uint64 // tags of the pairs in Check
	First    [plan.Group]uint64 // index of the first candidate, if candidates are not the row of the vertex

	Vertex    [plan.Group]uint32 // the current vertex
	Previous  [plan.Group]uint32 // the previous vertex, or graph.None
	Count     [plan.Group]uint32 // number of candidates from First on
	Candidate [plan.Group]uint32 // the proposed vertex
	Fraction  [plan.Group]uint32 // selects the edge of an alias slot or its alias
	Accept    [plan.Group]uint32 // decides whether the candidate is accepted, or the walk stops
	Accepted  [plan.Group]uint32 // 1 if the candidate is accepted, otherwise 0
	Check     [plan.Group]uint32 // indices of walkers whose candidate needs an edge lookup
	Event     [plan.Group]uint32 // indices of walkers that the driver must handle
}
