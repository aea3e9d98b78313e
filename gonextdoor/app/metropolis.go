package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// MetropolisHastings walks Length steps so that the uniform distribution over the vertices with edges of an undirected
// graph is stationary: from u a neighbour v is proposed, all alike, and accepted with probability min(1, deg(u)/deg(v)); the walk stays
// at u otherwise (Metropolis et al. 1953; Hastings 1970; as in C-SAW, SC'20). It ends at a sink.
type MetropolisHastings struct {
	Length int `json:"length"`
}

// Name is "MetropolisHastings".
func (a *MetropolisHastings) Name() string { return "MetropolisHastings" }

// Check refuses a length below 0.
func (a *MetropolisHastings) Check() error { return checkLength("length", a.Length, 0) }

// Weighs is false.
func (a *MetropolisHastings) Weighs(*graph.Graph) bool { return false }

// Bind has nothing to decide.
func (a *MetropolisHastings) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Uniform.
func (a *MetropolisHastings) Selector() string { return "Uniform" }

// Width is Length+1.
func (a *MetropolisHastings) Width(roots int) int { return roots + a.Length }

// Program proposes as any walk does; whether it stays is Update's word 0.
func (a *MetropolisHastings) Program() *StepProgram {
	return steps(a.Length, StepProgram{Weighted: No, Update: func(c *Ctx, _ uint64, dst uint32) uint32 {
		if c.Below(0, c.Graph.Degree(dst)) < c.Graph.Degree(c.Transit) {
			return dst
		}
		return c.Transit
	}})
}

// Sample is that of Program.
func (a *MetropolisHastings) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
