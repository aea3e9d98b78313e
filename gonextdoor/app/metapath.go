package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MetaPath walks Length steps; step s takes an edge that has the label Labels[s mod len(Labels)], in proportion to its
// weight or all of them alike (metapath2vec: Dong et al., KDD'17; as in FlowWalker, VLDB'24). The walk ends where there
// is none, and with probability Stop behind each step.
type MetaPath struct {
	Labels   []int32  `json:"labels"`
	Length   int      `json:"length"`
	Weighted Weighted `json:"weighted"`
	Stop     float64  `json:"stop"`
}

// Name is "MetaPath".
func (a *MetaPath) Name() string { return "MetaPath" }

// Check refuses a path without labels, a stop that is no probability, and a length below 0.
func (a *MetaPath) Check() error {
	if len(a.Labels) == 0 {
		return refuse.Value("labels = []: expected a label at least")
	}
	if err := checkProbability("stop", a.Stop); err != nil {
		return err
	}
	return checkLength("length", a.Length, 0)
}

// Weighs is false: tables know nothing of labels.
func (a *MetaPath) Weighs(*graph.Graph) bool { return false }

// Bind decides whether the walk is weighted. It refuses a graph whose edges have no labels.
func (a *MetaPath) Bind(g *graph.Graph) (App, error) {
	bound := *a
	switch {
	case g.Labels == nil:
		return nil, refuse.Value("graph: MetaPath follows the labels of edges, and its edges have none")
	case (a.Weighted == Yes || a.Weighted == Computed) && !g.Weighted():
		_, err := a.Weighted.bind(g) // has the words for it
		return nil, err
	case g.Weighted() && a.Weighted != No:
		bound.Weighted = Computed
	default:
		bound.Weighted = No
	}
	return &bound, nil
}

// Computes is true.
func (a *MetaPath) Computes() bool { return true }

// Selector is that of Grows.
func (a *MetaPath) Selector() string { return a.Grows().Selector() }

// Width is Length+1.
func (a *MetaPath) Width(roots int) int { return roots + a.Length }

// Threshold is Stop in units of 2^-32.
func (a *MetaPath) Threshold() uint64 { return thresholdOf(a.Stop) }

// Grows is the walk of the bound app: an edge of another label has no bias.
func (a *MetaPath) Grows() *Growth {
	on := Growth{}
	if a.Stop > 0 {
		threshold := a.Threshold()
		on.Stop = func(c *Ctx) bool { return c.Step > 0 && c.Chance(0) < threshold }
	}
	bias := func(*Ctx, uint64, uint32) uint64 { return 1 }
	on.Bound = func(*Ctx) uint64 { return 1 }
	if a.Weighted == Computed {
		bias, on.Bound = weight, aboveWeights
	}
	on.EdgeBias = func(c *Ctx, edge uint64, dst uint32) uint64 {
		if c.Graph.Labels[edge] != a.Labels[c.Step%len(a.Labels)] {
			return 0
		}
		return bias(c, edge, dst)
	}
	return steps(a.Length, on)
}

// Sample is that of Grows.
func (a *MetaPath) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Grows().Sample(g, key, roots, row)
}
