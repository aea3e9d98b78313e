package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Computing is an app whose biases may be computed when a choice needs them, instead of being read from alias tables.
type Computing interface {
	App
	// Computes reports whether the biases of a bound app are computed. A StepProgram defines the app then, whose choices
	// are made by Tries under a bound.
	Computes() bool
	// ComputedBias describes the bias, for drivers that compute it without calling the step program.
	ComputedBias() ComputedBias
}

// computedOn is an app that knows before it is bound whether its biases will be computed on a graph of a size.
type computedOn interface{ computedOn(on Size) bool }

func (a *DeepWalk) computedOn(Size) bool { return a.Weighted == Computed }

func (a *PPR) computedOn(Size) bool { return a.Weighted == Computed }

func (a *Node2Vec) computedOn(Size) bool { return a.Weighted == Computed }

func (a *Walk) computedOn(Size) bool { return a.Computed && a.Bias != Uniform }

func (a *MetaPath) computedOn(on Size) bool { return on.Weighted && a.Weighted != No }

func (a *Custom) computedOn(Size) bool {
	return a.EdgeBias != nil || a.Kernels.EdgeBias != 0 || a.Hooks.Has("edge_bias")
}

// Tables returns the table of proposals, if the walk is by weights that are computed.
func (a *DeepWalk) Tables(g *graph.Graph) []*index.Table {
	return proposalTables(g, a.Weighted == Computed && !a.byDegree)
}

// Tables returns the table of proposals, if the walk is by weights that are computed.
func (a *PPR) Tables(g *graph.Graph) []*index.Table { return proposalTables(g, a.Weighted == Computed) }

// Tables returns those of the DeepWalk.
func (a *Walk) Tables(g *graph.Graph) []*index.Table { return a.walk().Tables(g) }

// proposalTables returns the table of triesByWeight, if proposals are made by the weights of g.
func proposalTables(g *graph.Graph, byWeight bool) []*index.Table {
	if !byWeight || !g.Weighted() {
		return nil
	}
	return []*index.Table{index.RowTriesTable}
}

// ComputesOn reports whether the biases of an app will be computed on a graph when a choice needs them. The app need not be
// bound.
func ComputesOn(a App, on Size) bool {
	c, ok := a.(computedOn)
	return ok && c.computedOn(on)
}

// steps returns a with n steps. If n is 0 its samples end at once: 0 steps alone would mean no limit.
func steps(n int, a StepProgram) *StepProgram {
	a.Steps = n
	if n == 0 {
		a.Stop = func(*Ctx) bool { return true }
	}
	return &a
}

// weight is the bias of an edge by its weight, below 2^32.
func weight(c *Ctx, edge uint64, _ uint32) uint64 { return uint64(c.Graph.Biases[edge]) }

// aboveWeights is the bound of biases by weight.
func aboveWeights(*Ctx) uint64 { return WeightBound }

// triesByWeight is the number of proposals by weight under aboveWeights.
func triesByWeight(c *Ctx) uint64 { return index.TriesOf(c.Graph, c.Transit) }

// WeightBound is the bound of biases by weight. The largest bias of a row is at least half of it.
const WeightBound = 1 << 32

// degree is the bias of an edge by the degree of its end point.
func degree(c *Ctx, _ uint64, dst uint32) uint64 { return min(c.Graph.Degree(dst), math.MaxUint32) }

// largestDegree is the bound of biases by degree.
func largestDegree(c *Ctx) uint64 { return LargestDegree(c.Graph) }

// LargestDegree returns the bound of degrees as biases: the largest degree, at least 1.
func LargestDegree(g *graph.Graph) uint64 { return max(1, min(g.MaxDegree(), math.MaxUint32)) }

// Product returns the bias times a factor in units of 2^-32, which is at most 2^32. It is rounded down, but a positive bias
// never becomes 0.
func Product(bias, factor uint64) uint64 {
	if bias == 0 {
		return 0
	}
	return max(1, bias*factor>>32)
}
