package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// PPR is a random walk of geometric length (Page et al. 1999; Fogaras et al. 2005). Each step is that of DeepWalk, and after
// each step the walk stops with probability Stop: P(length = n) = Stop * (1-Stop)^(n-1) for n >= 1. The first step is always
// taken, so the visits are not personalised PageRank, which PageRank estimates.
//
// A walk also ends at a dead end (a vertex without an edge of positive weight), and after MaxLength steps. Samples differ in
// length and have no missing vertices.
type PPR struct {
	Stop      float64      `json:"stop"`       // above 0, at most 1
	MaxLength int          `json:"max_length"` // 0 to app.MaxLength; 0: no limit
	Weighted  app.Weighted `json:"weighted"`
}

// Name is "PPR".
func (a *PPR) Name() string { return "PPR" }

// Check returns an error if Stop or MaxLength is out of range.
func (a *PPR) Check() error {
	if !(a.Stop > 0 && a.Stop <= 1) {
		return refuse.Value("stop = %v: expected a probability above 0 and at most 1", a.Stop)
	}
	return app.CheckLength("max_length", a.MaxLength, 0)
}

// Weighs reports whether the choices follow the weights of g.
func (a *PPR) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *PPR) Bind(g *graph.Graph) (app.App, error) {
	w, err := a.Weighted.Bind(g)
	return &PPR{a.Stop, a.MaxLength, w}, err
}

// Selector is that of Choose.
func (a *PPR) Selector() string { return app.StaticSelector(a.Weighted) }

// Width is 0: samples differ in length.
func (a *PPR) Width(int) int { return 0 }

// Expect returns the mean length of a walk, which also ends at a dead end.
func (a *PPR) Expect(_ int, on app.Size) app.Expected {
	return app.PerVertex(on.Steps(a.longest(), a.Stop))
}

// longest returns the largest number of steps of a walk, infinite if there is no limit.
func (a *PPR) longest() float64 {
	if a.MaxLength == 0 {
		return math.Inf(1)
	}
	return float64(a.MaxLength)
}

// MeanSteps returns the mean number of steps of a walk on a graph without sinks.
func (a *PPR) MeanSteps() float64 {
	mean := 1 / a.Stop
	if a.MaxLength > 0 {
		mean = min(mean, float64(a.MaxLength))
	}
	return mean
}

// Threshold is Stop in units of 2^-32. A walk stops if the fraction of a step is below it.
func (a *PPR) Threshold() uint64 { return app.ThresholdOf(a.Stop) }

// Sample takes step s with the word at Slot(s, 0). The first unused fraction of the word decides whether the walk stops.
func (a *PPR) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	v, e := roots[0], graph.NoEdge
	row.Vertices = append(row.Vertices, v)
	for s := 0; a.MaxLength == 0 || s < a.MaxLength; s++ {
		word := key.Word(rng.Slot(uint64(s), 0))
		fraction := rng.Second(word)
		if a.Weighted == app.No {
			_, fraction = rng.Below(word, g.Degree(v))
		}
		if v, e = app.Choose(g, v, word, a.Weighted); v == graph.None {
			break
		}
		row = row.Add(v, e)
		if uint64(fraction) < a.Threshold() {
			break
		}
	}
	return row
}

// Weights is Weighted.
func (a *PPR) Weights() app.Weighted { return a.Weighted }

// MostSteps is MaxLength.
func (a *PPR) MostSteps() int { return a.MaxLength }

// SearchedOn is what app.SearchesOn returns.
func (a *PPR) SearchedOn(app.Size) bool { return a.Weighted == app.Computed }

// Tables returns the sums of segments, if weights are computed.
func (a *PPR) Tables(g *graph.Graph) []*index.Table { return searchTables(g, a.Weighted) }

// RowLocal is true: a step reads the row of the vertex that it leaves.
func (a *PPR) RowLocal(bool) bool { return true }

var _ app.Stopper = (*PPR)(nil)
