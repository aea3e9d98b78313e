package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// DeepWalk is the first-order random walk (Perozzi et al., KDD'14). Each step from u takes an edge (u, v) with probability
// w(u, v) / sum_x w(u, x), or uniformly at random if the walk is not weighted.
//
// A walk ends at a dead end: a vertex without an edge of positive weight. The remaining vertices are graph.None.
type DeepWalk struct {
	Length   int          `json:"length"` // steps, 0 to MaxLength
	Weighted app.Weighted `json:"weighted"`

	byDegree bool // whether biases are degrees that are computed
}

// Name is "DeepWalk".
func (a *DeepWalk) Name() string { return "DeepWalk" }

// Check returns an error if Length is out of range.
func (a *DeepWalk) Check() error { return app.CheckLength("length", a.Length, 0) }

// Weighs reports whether the choices follow the weights of g.
func (a *DeepWalk) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *DeepWalk) Bind(g *graph.Graph) (app.App, error) {
	w, err := a.Weighted.Bind(g)
	return &DeepWalk{Length: a.Length, Weighted: w}, err
}

// Selector is that of Choose, and that of the step program for biases by degree.
func (a *DeepWalk) Selector() string {
	if a.byDegree {
		return a.program().Selector()
	}
	return app.StaticSelector(a.Weighted)
}

// Width is Length+1.
func (a *DeepWalk) Width(roots int) int { return roots + a.Length }

// Computes reports whether biases are degrees. The walk is then defined by a step program.
func (a *DeepWalk) Computes() bool { return a.byDegree }

// program returns the walk by degree.
func (a *DeepWalk) program() *program.StepProgram {
	return steps(a.Length, program.StepProgram{EdgeBias: degree, Bound: largestDegree})
}

// Sample takes step s with the word at Slot(s, 0).
func (a *DeepWalk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	if a.byDegree {
		return a.program().Sample(g, key, roots, row)
	}
	v, e := roots[0], graph.NoEdge
	row.Vertices = append(row.Vertices, v)
	for s := range a.Length {
		v, e = app.Choose(g, v, key.Word(rng.Slot(uint64(s), 0)), a.Weighted)
		row = row.Add(v, e)
	}
	return row
}

// Weights is Weighted.
func (a *DeepWalk) Weights() app.Weighted { return a.Weighted }

// ComputedBias is the degree.
func (a *DeepWalk) ComputedBias() app.ComputedBias { return app.ComputedBias{Kind: app.BiasDegree} }

// SearchedOn is what app.SearchesOn returns.
func (a *DeepWalk) SearchedOn(app.Size) bool { return a.Weighted == app.Computed }

// Tables returns the sums of segments, if weights are computed.
func (a *DeepWalk) Tables(g *graph.Graph) []*index.Table { return searchTables(g, a.Weighted) }

// RowLocal is true: a step reads the row of the vertex that it leaves.
func (a *DeepWalk) RowLocal(bool) bool { return !a.byDegree }

var (
	_ app.StaticWeights = (*DeepWalk)(nil)
	_ app.Computing     = (*DeepWalk)(nil)
)
