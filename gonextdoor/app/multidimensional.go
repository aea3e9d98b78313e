package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MultiDimensionalWalk is frontier sampling: at each step a vertex of the pool, which begins as the sample's roots, is
// drawn in proportion to its degree; one of its neighbours, all alike, is recorded and takes its place in the pool
// (Ribeiro and Towsley, IMC'10; multi-dimensional random walk in C-SAW, multi-RW in NextDoor). It ends when the pool has
// sinks only.
type MultiDimensionalWalk struct {
	Length    int `json:"length"`
	Dimension int `json:"dimension"` // vertices of a pool that is drawn; one that is given may have any number
}

// Name is "MultiDimensionalWalk".
func (a *MultiDimensionalWalk) Name() string { return "MultiDimensionalWalk" }

// Check refuses a length below 0 and a pool without a vertex.
func (a *MultiDimensionalWalk) Check() error {
	if a.Dimension < 1 || a.Dimension > maxWidth {
		return refuse.Value("dimension = %d: expected from 1 to 2^28 vertices", a.Dimension)
	}
	return checkLength("length", a.Length, 0)
}

// Weighs is false.
func (a *MultiDimensionalWalk) Weighs(*graph.Graph) bool { return false }

// Bind has nothing to decide.
func (a *MultiDimensionalWalk) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Scan for the vertex of the pool, Uniform for its neighbour.
func (a *MultiDimensionalWalk) Selector() string { return "Scan, Uniform" }

// Width is roots + Length.
func (a *MultiDimensionalWalk) Width(roots int) int { return roots + a.Length }

// Pool is Dimension.
func (a *MultiDimensionalWalk) Pool() int { return a.Dimension }

// Program weighs the pool by degree.
func (a *MultiDimensionalWalk) Program() *StepProgram {
	return steps(a.Length, StepProgram{Weighted: No, VertexBias: func(c *Ctx, v uint32) uint64 { return c.Graph.Degree(v) }})
}

// Sample is that of Program.
func (a *MultiDimensionalWalk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
