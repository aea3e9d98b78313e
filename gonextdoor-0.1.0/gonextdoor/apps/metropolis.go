package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// MetropolisHastings is a walk whose stationary distribution on an undirected graph is uniform over the vertices with edges
// (Metropolis et al. 1953; Hastings 1970; as in C-SAW, Pandey et al., SC'20). At u it proposes a neighbour v, uniformly at
// random, and accepts it with probability min(1, deg(u)/deg(v)). Otherwise it stays at u.
//
// A walk ends at a sink. The remaining vertices are graph.None.
type MetropolisHastings struct {
	Length int `json:"length"` // steps, 0 to MaxLength
}

// Name is "MetropolisHastings".
func (a *MetropolisHastings) Name() string { return "MetropolisHastings" }

// Check returns an error if Length is out of range.
func (a *MetropolisHastings) Check() error { return app.CheckLength("length", a.Length, 0) }

// Weighs is false.
func (a *MetropolisHastings) Weighs(*graph.Graph) bool { return false }

// Bind returns the app itself.
func (a *MetropolisHastings) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Uniform.
func (a *MetropolisHastings) Selector() string { return "Uniform" }

// Width is Length+1.
func (a *MetropolisHastings) Width(roots int) int { return roots + a.Length }

// Program returns a uniform walk whose Update stays at the transit, as decided by word 0 of the hook.
func (a *MetropolisHastings) Program() *program.StepProgram {
	return steps(a.Length, program.StepProgram{Weighted: app.No, Update: func(c *program.Ctx, _ uint64, dst uint32) uint32 {
		if c.Below(0, c.Graph.Degree(dst)) < c.Graph.Degree(c.Transit) {
			return dst
		}
		return c.Transit
	}})
}

// Sample runs the step program.
func (a *MetropolisHastings) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.Program().Sample(g, key, roots, row)
}
