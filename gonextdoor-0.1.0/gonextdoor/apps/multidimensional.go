package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MultiDimensionalWalk is frontier sampling (Ribeiro and Towsley, IMC'10; multi-dimensional random walk in C-SAW, multi-RW in
// NextDoor). A sample has a pool of vertices, which are its roots at first. Each step draws a vertex of the pool in
// proportion to its degree, and replaces it with one of its neighbours, uniformly at random, which is recorded.
//
// A walk ends when all vertices of the pool are sinks. The remaining vertices are graph.None.
type MultiDimensionalWalk struct {
	Length    int `json:"length"`    // steps, 0 to MaxLength
	Dimension int `json:"dimension"` // vertices of a pool that is drawn, 1 to 2^28; given roots may be any number
}

// Name is "MultiDimensionalWalk".
func (a *MultiDimensionalWalk) Name() string { return "MultiDimensionalWalk" }

// Check returns an error if Length or Dimension is out of range.
func (a *MultiDimensionalWalk) Check() error {
	if a.Dimension < 1 || a.Dimension > app.MaxWidth {
		return refuse.Value("dimension = %d: expected from 1 to 2^28 vertices", a.Dimension)
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs is false.
func (a *MultiDimensionalWalk) Weighs(*graph.Graph) bool { return false }

// Bind returns the app itself.
func (a *MultiDimensionalWalk) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Scan for the vertex of the pool, Uniform for its neighbour.
func (a *MultiDimensionalWalk) Selector() string { return "Scan, Uniform" }

// Width is roots + Length.
func (a *MultiDimensionalWalk) Width(roots int) int { return roots + a.Length }

// Pool is Dimension.
func (a *MultiDimensionalWalk) Pool() int { return a.Dimension }

// Program returns the step program, which draws from the pool by degree.
func (a *MultiDimensionalWalk) Program() *program.StepProgram {
	return steps(a.Length, program.StepProgram{Weighted: app.No, VertexBias: func(c *program.Ctx, v uint32) uint64 { return c.Graph.Degree(v) }})
}

// Sample runs the step program.
func (a *MultiDimensionalWalk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.Program().Sample(g, key, roots, row)
}
