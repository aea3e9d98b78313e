package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// DeepWalk is the first-order random walk (Perozzi et al., KDD'14). Each step from u takes an edge (u, v) with probability
// w(u, v) / sum_x w(u, x), or uniformly at random if the walk is not weighted.
//
// A walk ends at a dead end: a vertex without an edge of positive weight. The remaining vertices are graph.None.
type DeepWalk struct {
	Length   int      `json:"length"` // steps, 0 to MaxLength
	Weighted Weighted `json:"weighted"`

	byDegree bool // whether computed biases are degrees
}

// Name is "DeepWalk".
func (a *DeepWalk) Name() string { return "DeepWalk" }

// Check returns an error if Length is out of range.
func (a *DeepWalk) Check() error { return checkLength("length", a.Length, 0) }

// Weighs reports whether the choices follow the weights of g.
func (a *DeepWalk) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *DeepWalk) Bind(g *graph.Graph) (App, error) {
	w, err := a.Weighted.bind(g)
	return &DeepWalk{Length: a.Length, Weighted: w}, err
}

// Selector is Alias or Uniform, and that of the step program for computed biases.
func (a *DeepWalk) Selector() string {
	if a.Weighted == Computed {
		return a.program().Selector()
	}
	return staticSelector(a.Weighted)
}

// Width is Length+1.
func (a *DeepWalk) Width(roots int) int { return roots + a.Length }

// ByDegree reports whether the computed biases are degrees instead of weights.
func (a *DeepWalk) ByDegree() bool { return a.byDegree }

// Computes reports whether biases are computed. The walk is then defined by a step program.
func (a *DeepWalk) Computes() bool { return a.Weighted == Computed }

// program returns the walk by computed biases.
func (a *DeepWalk) program() *StepProgram {
	if a.byDegree {
		return steps(a.Length, StepProgram{EdgeBias: degree, Bound: largestDegree})
	}
	return steps(a.Length, StepProgram{EdgeBias: weight, Bound: aboveWeights, tries: triesByWeight})
}

// Sample takes step s with the word at Slot(s, 0).
func (a *DeepWalk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	if a.Weighted == Computed {
		return a.program().Sample(g, key, roots, row)
	}
	v, e := roots[0], graph.NoEdge
	row.Vertices = append(row.Vertices, v)
	for s := range a.Length {
		v, e = choose(g, v, key.Word(rng.Slot(uint64(s), 0)), a.Weighted)
		row = row.Add(v, e)
	}
	return row
}

// MaxLength is the largest number of steps of a sample, 2^24.
const MaxLength = 1 << 24

// checkLength returns an error if a number of steps is not from least to MaxLength.
func checkLength(name string, length, least int) error {
	if length < least || length > MaxLength {
		return refuse.Value("%s = %d: expected a number of steps from %d to %d", name, length, least, MaxLength)
	}
	return nil
}
