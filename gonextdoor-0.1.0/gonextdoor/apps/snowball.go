package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Snowball is snowball sampling (Goodman 1961; as in C-SAW, Pandey et al., SC'20). It grows breadth-first from its roots: each
// vertex of a level adds all its neighbours that are not in the sample, or Fanout of them, drawn uniformly at random. Every
// vertex is in the sample once. With a fan-out, vertices may be missed, or reached later than at their distance.
//
// A vertex without new neighbours adds nothing. The sample ends when a level is empty, or after Depth levels.
type Snowball struct {
	Depth  int `json:"depth"`  // levels, 0 to MaxLength; 0: no limit
	Fanout int `json:"fanout"` // at least 1, or All
}

// Name is "Snowball".
func (a *Snowball) Name() string { return "Snowball" }

// Check returns an error if Depth or Fanout is out of range.
func (a *Snowball) Check() error {
	if a.Fanout < 1 && a.Fanout != app.All {
		return refuse.Value("fanout = %d: expected at least 1", a.Fanout)
	}
	return app.CheckLength("depth", a.Depth, 0)
}

// Program returns the app as a step program. The fan-out is a hook, so that samples have no missing vertices.
func (a *Snowball) Program() *program.StepProgram {
	return &program.StepProgram{
		Steps: a.Depth, Unique: program.PerSample, Weighted: app.No,
		Fanout: func(c *program.Ctx) int {
			if a.Fanout == app.All {
				return int(c.Graph.Degree(c.Transit))
			}
			return a.Fanout
		},
	}
}

// Weighs is false: choices are uniform.
func (a *Snowball) Weighs(*graph.Graph) bool { return false }

// Bind returns the app itself.
func (a *Snowball) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is "All", or Distinct over Uniform.
func (a *Snowball) Selector() string {
	if a.Fanout == app.All {
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

// Expect returns the vertices within Depth steps.
func (a *Snowball) Expect(roots int, on app.Size) app.Expected {
	return expectLevels(roots, a.Depth, on, a.Fanout == app.All, func(level, edges float64) float64 {
		if a.Fanout == app.All {
			return edges
		}
		return min(edges, level*float64(a.Fanout))
	})
}

// Sample runs the step program.
func (a *Snowball) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.Program().Sample(g, key, roots, row)
}

// MaxDepth is Depth.
func (a *Snowball) MaxDepth() int { return a.Depth }

// VisitsAll is true if Fanout is All.
func (a *Snowball) VisitsAll() bool { return a.Fanout == app.All }

// NewNeighbors is Fanout, and degree if that is All.
func (a *Snowball) NewNeighbors(_ rng.Key, degree uint64) uint64 {
	if a.Fanout == app.All {
		return degree
	}
	return uint64(a.Fanout)
}

// NeighborDraws returns Fanout.
func (a *Snowball) NeighborDraws() app.NeighborDraws { return app.NeighborDraws{Fanout: a.Fanout} }

var _ app.BreadthFirst = (*Snowball)(nil)
