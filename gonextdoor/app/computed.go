package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
)

// Computing is an app whose biases may be computed when a choice needs them, instead of being stored.
type Computing interface {
	App
	// Computes says whether the biases of a bound app are. The app is a StepProgram then, by way of Tries under a bound.
	Computes() bool
	// ComputedBias describes the bias, for drivers that compute it by themselves.
	ComputedBias() ComputedBias
}

// computedOn is an app that says before it is bound whether its biases will be computed on a graph.
type computedOn interface{ computedOn(on Size) bool }

func (a *DeepWalk) computedOn(Size) bool { return a.Weighted == Computed }

func (a *PPR) computedOn(Size) bool { return a.Weighted == Computed }

func (a *Node2Vec) computedOn(Size) bool { return a.Weighted == Computed }

func (a *Walk) computedOn(Size) bool { return a.Computed && a.Bias != Uniform }

func (a *MetaPath) computedOn(on Size) bool { return on.Weighted && a.Weighted != No }

func (a *Custom) computedOn(Size) bool {
	return a.EdgeBias != nil || a.Kernels.EdgeBias != 0 || a.Hooks.Has("edge_bias")
}

// ComputesOn reports whether the biases of an app will be computed on a graph when a choice needs them. The app need not be
// bound.
func ComputesOn(a App, on Size) bool {
	c, ok := a.(computedOn)
	return ok && c.computedOn(on)
}

// steps gives a growth of n steps, of none where n is 0.
func steps(n int, a StepProgram) *StepProgram {
	a.Steps = n
	if n == 0 {
		a.Stop = func(*Ctx) bool { return true }
	}
	return &a
}

// weight is the bias of an edge by its weight, below 2^32.
func weight(c *Ctx, edge uint64, _ uint32) uint64 { return uint64(c.Graph.Biases[edge]) }

// aboveWeights bounds the biases of any row.
func aboveWeights(*Ctx) uint64 { return WeightBound }

// WeightBound is the bound of biases that come of weights: the largest of a row is at least half of it.
const WeightBound = 1 << 32

// degree is the bias of an edge by the degree of its end point.
func degree(c *Ctx, _ uint64, dst uint32) uint64 { return min(c.Graph.Degree(dst), math.MaxUint32) }

func largestDegree(c *Ctx) uint64 { return LargestDegree(c.Graph) }

// LargestDegree is the bound of degrees as biases; 1 where no vertex has an edge.
func LargestDegree(g *graph.Graph) uint64 { return max(1, min(g.MaxDegree(), math.MaxUint32)) }

// Product is the product of a weight's bias and a factor in units of 2^-32, at most 1: rounded down, but no positive one
// becomes 0.
func Product(bias, factor uint64) uint64 {
	if bias == 0 {
		return 0
	}
	return max(1, bias*factor>>32)
}
