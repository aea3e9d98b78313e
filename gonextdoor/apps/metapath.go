package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// MetaPath is the walk of metapath2vec (Dong et al., KDD'17; as in FlowWalker, VLDB'24). Step s takes an edge with the label
// Labels[s mod len(Labels)], uniformly at random or in proportion to its weight.
//
// A walk ends if the current vertex has no such edge, and after each step with probability Stop. The remaining vertices are
// graph.None.
type MetaPath struct {
	Labels   []int32      `json:"labels"`   // at least one
	Length   int          `json:"length"`   // steps, 0 to MaxLength
	Weighted app.Weighted `json:"weighted"` // weights are always computed: alias tables have no labels
	Stop     float64      `json:"stop"`     // 0 to 1
}

// Name is "MetaPath".
func (a *MetaPath) Name() string { return "MetaPath" }

// Check returns an error if Labels is empty, or Stop or Length is out of range.
func (a *MetaPath) Check() error {
	if len(a.Labels) == 0 {
		return refuse.Value("labels = []: expected at least one label")
	}
	if err := checkProbability("stop", a.Stop); err != nil {
		return err
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs is false: alias tables do not depend on labels.
func (a *MetaPath) Weighs(*graph.Graph) bool { return false }

// Bind resolves Weighted for g. It returns an error if the edges have no labels, or if weights are required and g has none.
func (a *MetaPath) Bind(g *graph.Graph) (app.App, error) {
	bound := *a
	switch {
	case g.Labels == nil:
		return nil, refuse.Value("graph: its edges have no labels, which MetaPath follows; make the graph with labels=")
	case (a.Weighted == app.Yes || a.Weighted == app.Computed) && !g.Weighted():
		_, err := a.Weighted.Bind(g) // for the text of the error
		return nil, err
	case g.Weighted() && a.Weighted != app.No:
		bound.Weighted = app.Computed
	default:
		bound.Weighted = app.No
	}
	return &bound, nil
}

// Computes reports whether the walk is weighted. It is then defined by a step program.
func (a *MetaPath) Computes() bool { return a.Weighted == app.Computed }

// Selector is Uniform, and that of the step program for computed biases.
func (a *MetaPath) Selector() string {
	if a.Computes() {
		return a.program().Selector()
	}
	return app.StaticSelector(app.No)
}

// Width is Length+1.
func (a *MetaPath) Width(roots int) int { return roots + a.Length }

// LabelRowsPay is the number of edges that are ordered by label in the time that the table saves per step by a label.
const LabelRowsPay = 8

// Expect returns the expected length; a walk ends if no edge has the label of a step. If the table of edges by label is not
// there and does not pay, each step reads a row.
func (a *MetaPath) Expect(_ int, on app.Size) app.Expected {
	e := app.PerVertex(float64(a.Length))
	ended := app.EndedStored
	if a.ComputedOn(on) {
		ended = app.EndedComputed
	}
	e.Operations = app.Walked(e.Vertices, on.LabelSteps(a.Labels, e.Vertices, a.Stop), ended)
	if on.Samples > 0 && on.Samples*a.Length*LabelRowsPay < on.Edges && !a.ComputedOn(on) && !on.OrderedByLabel() {
		e.Operations *= 1 + on.Neighbor()/10
	}
	return e
}

// Threshold is Stop in units of 2^-32.
func (a *MetaPath) Threshold() uint64 { return app.ThresholdOf(a.Stop) }

// program returns the weighted walk. Edges with another label have bias 0.
func (a *MetaPath) program() *program.StepProgram {
	on := program.StepProgram{Bound: aboveWeights, EdgeBias: func(c *program.Ctx, edge uint64, dst uint32) uint64 {
		if c.Graph.Labels[edge] != a.Labels[c.Step%len(a.Labels)] {
			return 0
		}
		return weight(c, edge, dst)
	}}
	if a.Stop > 0 {
		threshold := a.Threshold()
		on.Stop = func(c *program.Ctx) bool { return c.Step > 0 && c.Chance(0) < threshold }
	}
	return steps(a.Length, on)
}

// Sample takes step s with the word at Slot(s, 0), which selects among the edges with the label, in the order of their row.
// The word at Slot(s, 192) decides whether the walk stops before step s.
func (a *MetaPath) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	if a.Computes() {
		return a.program().Sample(g, key, roots, row)
	}
	threshold, v := a.Threshold(), roots[0]
	row.Vertices = append(row.Vertices, v)
	for s := range a.Length {
		if s%drawsPerCheck == 0 && row.Stopped() {
			break
		}
		e := graph.NoEdge
		if v != graph.None && !(s > 0 && key.Word(rng.Slot(uint64(s), program.HookTry))>>32 < threshold) {
			e = labelled(g, v, a.Labels[s%len(a.Labels)], key.Word(rng.Slot(uint64(s), 0)))
		}
		if v = graph.None; e != graph.NoEdge {
			v = g.Indices[e]
		}
		row = row.Add(v, e)
	}
	return row
}

// labelled selects one of the edges of v with a label by Uniform. It returns graph.NoEdge if there is none.
func labelled(g *graph.Graph, v uint32, label int32, word uint64) (position uint64) {
	first, end := g.Row(v)
	n := uint64(0)
	for _, l := range g.Labels[first:end] {
		if l == label {
			n++
		}
	}
	i := selector.Uniform(word, n)
	for position = first; i >= 0; position++ {
		if g.Labels[position] == label {
			if i == 0 {
				return position
			}
			i--
		}
	}
	return graph.NoEdge
}

// Path is Labels.
func (a *MetaPath) Path() []int32 { return a.Labels }

// ComputedBias is the weight among the edges of a step's label.
func (a *MetaPath) ComputedBias() app.ComputedBias {
	return app.ComputedBias{Kind: app.BiasLabelled, Threshold: a.Threshold(), Labels: a.Labels}
}

// ComputedOn is what app.ComputesOn returns.
func (a *MetaPath) ComputedOn(on app.Size) bool { return on.Weighted && a.Weighted != app.No }

var (
	_ app.LabelPath = (*MetaPath)(nil)
	_ app.Computing = (*MetaPath)(nil)
)
