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
	Weighted app.Weighted `json:"weighted"` // choices by weight always search: alias tables have no labels
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

// Selector is that of Choose, among the edges with the label of a step.
func (a *MetaPath) Selector() string { return app.StaticSelector(a.Weighted) }

// Weights is Computed for a bound app that follows weights, No for others.
func (a *MetaPath) Weights() app.Weighted { return a.Weighted }

// Width is Length+1.
func (a *MetaPath) Width(roots int) int { return roots + a.Length }

// LabelRowsPay is the number of edges that are ordered by label in the time that the table saves per step by a label.
const LabelRowsPay = 8

// Expect returns the expected length; a walk ends if no edge has the label of a step. If the table of edges by label is not
// there and does not pay, steps search in rows, which are added up when a walk first visits them with a label.
func (a *MetaPath) Expect(_ int, on app.Size) app.Expected {
	e := app.PerVertex(float64(a.Length))
	e.Operations = app.Walked(e.Vertices, on.LabelSteps(a.Labels, e.Vertices, a.Stop), app.EndedStored)
	if steps := on.Samples * a.Length; steps > 0 && steps*LabelRowsPay < on.Edges && !on.OrderedByLabel() {
		added := min(on.Neighbor(), float64(on.Edges)*float64(len(a.Labels))/float64(steps))
		e.Operations *= 2 + added/60
	}
	return e
}

// Threshold is Stop in units of 2^-32.
func (a *MetaPath) Threshold() uint64 { return app.ThresholdOf(a.Stop) }

// Sample takes step s with the word at Slot(s, 0), which selects among the edges with the label, in the order of their row.
// The word at Slot(s, 192) decides whether the walk stops before step s.
func (a *MetaPath) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	threshold, v := a.Threshold(), roots[0]
	row.Vertices = append(row.Vertices, v)
	for s := range a.Length {
		if s%drawsPerCheck == 0 && row.Stopped() {
			break
		}
		e := graph.NoEdge
		if v != graph.None && !(s > 0 && key.Word(rng.Slot(uint64(s), program.HookTry))>>32 < threshold) {
			e = a.choose(g, v, a.Labels[s%len(a.Labels)], key.Word(rng.Slot(uint64(s), 0)))
		}
		if v = graph.None; e != graph.NoEdge {
			v = g.Indices[e]
		}
		row = row.Add(v, e)
	}
	return row
}

// choose selects one of the edges of v with a label by selector.Scan over their biases, which are all 1 without weights. It returns
// graph.NoEdge if there is none.
func (a *MetaPath) choose(g *graph.Graph, v uint32, label int32, word uint64) (position uint64) {
	first, end := g.Row(v)
	i := selector.Scan(word, int(end-first), func(i int) uint64 {
		switch at := first + uint64(i); {
		case g.Labels[at] != label:
			return 0
		case a.Weighted == app.Computed:
			return uint64(g.Biases[at])
		}
		return 1
	})
	if i < 0 {
		return graph.NoEdge
	}
	return first + uint64(i)
}

// Path is Labels.
func (a *MetaPath) Path() []int32 { return a.Labels }

// SearchedOn is what app.SearchesOn returns.
func (a *MetaPath) SearchedOn(on app.Size) bool { return on.Weighted && a.Weighted != app.No }

// RowLocal is true: a step reads the row of the vertex that it leaves.
func (a *MetaPath) RowLocal(bool) bool { return true }

var _ app.LabelPath = (*MetaPath)(nil)
