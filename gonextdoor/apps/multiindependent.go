package apps

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// MultiIndependent is a set of independent DeepWalks of Length steps, one from each root of a sample (C-SAW, Pandey et al.,
// SC'20). It is a KHop whose fan-outs are all 1. A walk ends at a dead end, and its remaining vertices are graph.None.
type MultiIndependent struct {
	Length   int          `json:"length"` // steps, 0 to MaxLength
	Weighted app.Weighted `json:"weighted"`
}

// Name is "MultiIndependent".
func (a *MultiIndependent) Name() string { return "MultiIndependent" }

// Check returns an error if Length is out of range or Weighted is Computed.
func (a *MultiIndependent) Check() error {
	if err := a.Weighted.CheckStored(); err != nil {
		return err
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs reports whether the choices follow the weights of g.
func (a *MultiIndependent) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// tree returns the KHop that the app is equal to.
func (a *MultiIndependent) tree() *KHop {
	return &KHop{slices.Repeat([]int{1}, a.Length), true, a.Weighted}
}

// Bind returns the bound KHop that the app is equal to.
func (a *MultiIndependent) Bind(g *graph.Graph) (app.App, error) { return a.tree().Bind(g) }

// Selector is Alias or Uniform.
func (a *MultiIndependent) Selector() string { return app.StaticSelector(a.Weighted) }

// Width is roots * (1 + Length).
func (a *MultiIndependent) Width(roots int) int { return roots * (1 + a.Length) }

// Sample takes step s of walker t with the word at slot 0 of the key Stream(s).Key(t).
func (a *MultiIndependent) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.tree().Sample(g, key, roots, row)
}

// RowLocal is true: a step reads the row of the vertex that it leaves.
func (a *MultiIndependent) RowLocal(bool) bool { return true }
