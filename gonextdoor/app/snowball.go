package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Snowball grows from its roots by all their neighbours, or Fanout of them each, then by those of the new ones, and so on:
// Depth times, or until nothing is new where Depth is 0. Every vertex is in the sample once (snowball sampling: Goodman
// 1961; as in C-SAW, Pandey et al., SC'20). With a fan-out it misses vertices, and reaches others later than at their
// distance.
type Snowball struct {
	Depth  int `json:"depth"`
	Fanout int `json:"fanout"` // All, or at least 1
}

// Name is "Snowball".
func (a *Snowball) Name() string { return "Snowball" }

// Check refuses a negative depth and a fan-out of none.
func (a *Snowball) Check() error {
	if a.Fanout < 1 && a.Fanout != All {
		return refuse.Value("fanout = %d: expected at least 1", a.Fanout)
	}
	return checkLength("depth", a.Depth, 0)
}

// Program gives the app as the one step. The fan-out is a hook since samples have as many places as vertices were found.
func (a *Snowball) Program() *StepProgram {
	return &StepProgram{
		Steps: a.Depth, Unique: PerSample, Weighted: No,
		Fanout: func(c *Ctx) int {
			if a.Fanout == All {
				return int(c.Graph.Degree(c.Transit))
			}
			return a.Fanout
		},
	}
}

// Weighs is false: all edges are alike.
func (a *Snowball) Weighs(*graph.Graph) bool { return false }

// Bind changes nothing.
func (a *Snowball) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is "All", or Distinct over Uniform.
func (a *Snowball) Selector() string {
	if a.Fanout == All {
		return "All"
	}
	return a.Program().Selector()
}

// Width is 0: samples differ in size.
func (a *Snowball) Width(int) int { return 0 }

// Layered is true.
func (a *Snowball) Layered(int) bool { return true }

// Records is false.
func (a *Snowball) Records() bool { return false }

// Expect returns the vertices within Depth steps: each reads its row.
func (a *Snowball) Expect(roots int, on Size) Expected {
	return spread(roots, a.Depth, on, func(level, edges float64) float64 {
		if a.Fanout == All {
			return edges
		}
		return min(edges, level*float64(a.Fanout))
	})
}

// Sample is the StepProgram's.
func (a *Snowball) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
