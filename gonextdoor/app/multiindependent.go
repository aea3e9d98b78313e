package app

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// MultiIndependent has a walker of its own start from each root of a sample, all of Length steps (C-SAW, Pandey et al.,
// SC'20). A sample is the tree of KHop in which every vertex has one child.
type MultiIndependent struct {
	Length   int      `json:"length"`
	Weighted Weighted `json:"weighted"`
}

// Name is "MultiIndependent".
func (a *MultiIndependent) Name() string { return "MultiIndependent" }

// Check refuses a length below 0 and computed biases.
func (a *MultiIndependent) Check() error {
	if err := a.Weighted.stored(); err != nil {
		return err
	}
	return checkLength("length", a.Length, 0)
}

// Weighs is true where the choices follow g's weights.
func (a *MultiIndependent) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

func (a *MultiIndependent) tree() *KHop {
	return &KHop{slices.Repeat([]int{1}, a.Length), true, a.Weighted}
}

// Bind gives the tree that the walkers are.
func (a *MultiIndependent) Bind(g *graph.Graph) (App, error) { return a.tree().Bind(g) }

// Selector is Alias or Uniform.
func (a *MultiIndependent) Selector() string { return staticSelector(a.Weighted) }

// Width is roots * (1 + Length).
func (a *MultiIndependent) Width(roots int) int { return roots * (1 + a.Length) }

// Sample takes step s of walker t with the word at slot 0 of the key Stream(s).Key(t).
func (a *MultiIndependent) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.tree().Sample(g, key, roots, row)
}
