package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// ForestFire is forest fire sampling (Leskovec & Faloutsos, KDD'06; as in C-SAW, Pandey et al., SC'20). It grows breadth-first
// from its roots. A vertex that burns sets fire to k of its neighbours that have not burned, uniformly at random, or to all
// if there are fewer. With p = Probability, k has the geometric distribution P(k) = p^k * (1-p), so a vertex with m such
// neighbours burns p*(1-p^m)/(1-p) of them on average. Those burn at the next level.
//
// A vertex without unburned neighbours adds nothing. The sample ends when a level is empty, or after Depth levels.
type ForestFire struct {
	Probability float64 `json:"probability"` // p, 0 to 1
	Depth       int     `json:"depth"`       // levels, 0 to MaxLength; 0: no limit
}

// Name is "ForestFire".
func (a *ForestFire) Name() string { return "ForestFire" }

// Check returns an error if Probability or Depth is out of range.
func (a *ForestFire) Check() error {
	if !(a.Probability >= 0 && a.Probability <= 1) {
		return refuse.Value("probability = %v: expected from 0 to 1", a.Probability)
	}
	return app.CheckLength("depth", a.Depth, 0)
}

// Threshold is Probability in units of 2^-32: 0 burns nothing, 2^32 everything.
func (a *ForestFire) Threshold() uint64 { return uint64(math.RoundToEven(a.Probability * (1 << 32))) }

// Burns returns the largest number of neighbours that a vertex with degree edges sets fire to. It is the number of
// successive words, from FireSlot on, whose top 32 bits are below the threshold, and at most degree.
func (a *ForestFire) Burns(word func(slot uint64) uint64, degree uint64) int {
	threshold, k := a.Threshold(), uint64(0)
	for k < degree && word(FireSlot+k)>>32 < threshold {
		k++
	}
	return int(k)
}

// FireSlot is the slot of the first word of Burns.
const FireSlot = program.HookSlot

// Program returns the app as a step program.
func (a *ForestFire) Program() *program.StepProgram {
	return &program.StepProgram{
		Steps: a.Depth, Unique: program.PerSample, Weighted: app.No,
		Fanout: func(c *program.Ctx) int { return a.Burns(c.Key().Word, c.Graph.Degree(c.Transit)) },
	}
}

// Weighs is false: choices are uniform.
func (a *ForestFire) Weighs(*graph.Graph) bool { return false }

// Bind returns the app itself.
func (a *ForestFire) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Distinct over Uniform.
func (a *ForestFire) Selector() string { return a.Program().Selector() }

// Width is 0: samples differ in size.
func (a *ForestFire) Width(int) int { return 0 }

// Layered is true.
func (a *ForestFire) Layered(int) bool { return true }

// Records is false.
func (a *ForestFire) Records() bool { return false }

// Expect returns the vertices that burn if no vertex has a neighbour that burned before.
func (a *ForestFire) Expect(roots int, on app.Size) app.Expected {
	return expectLevels(roots, a.Depth, on, false, func(level, edges float64) float64 {
		if a.Probability == 1 {
			return edges
		}
		return min(edges, level*a.Probability/(1-a.Probability))
	})
}

// Sample runs the step program.
func (a *ForestFire) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.Program().Sample(g, key, roots, row)
}

// NeighborDraws returns the threshold of Burns.
func (a *ForestFire) NeighborDraws() app.NeighborDraws {
	return app.NeighborDraws{Burns: true, Threshold: a.Threshold()}
}

// MaxDepth is Depth.
func (a *ForestFire) MaxDepth() int { return a.Depth }

// VisitsAll is false.
func (a *ForestFire) VisitsAll() bool { return false }

// NewNeighbors is Burns.
func (a *ForestFire) NewNeighbors(key rng.Key, degree uint64) uint64 {
	return uint64(a.Burns(key.Word, degree))
}

var _ app.BreadthFirst = (*ForestFire)(nil)
