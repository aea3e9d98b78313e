package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// ForestFire burns from its roots: each vertex that caught fire burns k of its neighbours that have not burned, with
// probability Probability^k * (1-Probability), or all that are left if there are fewer; those burn next. With p for
// Probability and m neighbours that have not burned, it burns p*(1-p^m)/(1-p) of them on average. It goes on Depth times, or until it dies where Depth is 0 (forest fire sampling:
// Leskovec & Faloutsos, KDD'06; as in C-SAW, Pandey et al., SC'20).
type ForestFire struct {
	Probability float64 `json:"probability"`
	Depth       int     `json:"depth"`
}

// Name is "ForestFire".
func (a *ForestFire) Name() string { return "ForestFire" }

// Check refuses what is no probability, and a negative depth.
func (a *ForestFire) Check() error {
	if !(a.Probability >= 0 && a.Probability <= 1) {
		return refuse.Value("probability = %v: expected from 0 to 1", a.Probability)
	}
	return checkLength("depth", a.Depth, 0)
}

// Threshold is Probability in units of 2^-32: 0 burns nothing, 2^32 everything.
func (a *ForestFire) Threshold() uint64 { return uint64(math.RoundToEven(a.Probability * (1 << 32))) }

// Burns gives how many neighbours a vertex of so many edges burns at most: how many of the words from FireSlot on stay
// below the threshold one after the other, with their top 32 bits.
func (a *ForestFire) Burns(word func(slot uint64) uint64, degree uint64) int {
	threshold, k := a.Threshold(), uint64(0)
	for k < degree && word(FireSlot+k)>>32 < threshold {
		k++
	}
	return int(k)
}

// FireSlot is where the words of Burns begin.
const FireSlot = hookSlot

// Program gives the app as the one step.
func (a *ForestFire) Program() *StepProgram {
	return &StepProgram{
		Steps: a.Depth, Unique: PerSample, Weighted: No,
		Fanout: func(c *Ctx) int { return a.Burns(c.key.Word, c.Graph.Degree(c.Transit)) },
	}
}

// Weighs is false: all edges are alike.
func (a *ForestFire) Weighs(*graph.Graph) bool { return false }

// Bind changes nothing.
func (a *ForestFire) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Distinct over Uniform.
func (a *ForestFire) Selector() string { return a.Program().Selector() }

// Width is 0: samples differ in size.
func (a *ForestFire) Width(int) int { return 0 }

// Layered is true.
func (a *ForestFire) Layered(int) bool { return true }

// Records is false.
func (a *ForestFire) Records() bool { return false }

// Expect returns the vertices that burn if none has a neighbour that burned before.
func (a *ForestFire) Expect(roots int, on Size) Expected {
	return spread(roots, a.Depth, on, func(level, edges float64) float64 {
		if a.Probability == 1 {
			return edges
		}
		return min(edges, level*a.Probability/(1-a.Probability))
	})
}

// Sample is the StepProgram's.
func (a *ForestFire) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
