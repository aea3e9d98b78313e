package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// DeepWalk walks Length steps, each along an edge of the present vertex (Perozzi et al., KDD'14).
type DeepWalk struct {
	Length   int      `json:"length"`
	Weighted Weighted `json:"weighted"`

	byDegree bool // Computed are degrees
}

// Name is "DeepWalk".
func (a *DeepWalk) Name() string { return "DeepWalk" }

// Check refuses a length below 0.
func (a *DeepWalk) Check() error { return checkLength("length", a.Length, 0) }

// Weighs is true where the choices follow g's weights.
func (a *DeepWalk) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind decides whether the walk is weighted.
func (a *DeepWalk) Bind(g *graph.Graph) (App, error) {
	w, err := a.Weighted.bind(g)
	return &DeepWalk{Length: a.Length, Weighted: w}, err
}

// Selector is Alias, Uniform or, of computed biases, that of growth.
func (a *DeepWalk) Selector() string {
	if a.Weighted == Computed {
		return a.program().Selector()
	}
	return staticSelector(a.Weighted)
}

// Width is Length+1.
func (a *DeepWalk) Width(roots int) int { return roots + a.Length }

// ByDegree says whether the computed biases are degrees, not weights.
func (a *DeepWalk) ByDegree() bool { return a.byDegree }

// Computes says whether biases are computed; the walk is a StepProgram then.
func (a *DeepWalk) Computes() bool { return a.Weighted == Computed }

// growth is the walk by computed biases.
func (a *DeepWalk) program() *StepProgram {
	if a.byDegree {
		return steps(a.Length, StepProgram{EdgeBias: degree, Bound: largestDegree})
	}
	return steps(a.Length, StepProgram{EdgeBias: weight, Bound: aboveWeights})
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

// MaxLength bounds the steps of a sample, so that a row's width is a reasonable number.
const MaxLength = 1 << 24

func checkLength(name string, length, least int) error {
	if length < least || length > MaxLength {
		return refuse.Value("%s = %d: expected a number of steps from %d to %d", name, length, least, MaxLength)
	}
	return nil
}
