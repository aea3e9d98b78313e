package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// The capabilities of apps. A driver asks a bound app for a capability, never for its type, so an app runs by any driver
// whose capability it has.

// StaticWeights is an app whose choices follow stored weights, or none.
type StaticWeights interface {
	App
	// Weights is Yes if a bound app chooses by the graph's alias tables, No if it chooses uniformly at random.
	Weights() Weighted
}

// Stopper is a walk that ends with a probability after each step.
type Stopper interface {
	StaticWeights
	// Threshold is the probability in units of 2^-32.
	Threshold() uint64
	// MostSteps is the largest number of steps of a walk, or 0 if there is none.
	MostSteps() int
	// MeanSteps is the mean number of steps of a walk on a graph without sinks.
	MeanSteps() float64
}

// Teleporter is a walk each of whose steps may be a jump to another vertex: with a probability, and always from sinks.
type Teleporter interface {
	StaticWeights
	// Threshold is the probability in units of 2^-32.
	Threshold() uint64
	// Home reports whether it jumps to its root. Otherwise it jumps to JumpTo.
	Home() bool
}

// SecondOrderer is a walk whose biases depend on the previous vertex. On a GPU, it runs the kernels whose image has the
// app's name in lower case (kernels/entry).
type SecondOrderer interface {
	StaticWeights
	// SecondOrder returns the factors of biases, for AfterTries. If Back is 0, edges that lead back are excluded and all others
	// are accepted.
	SecondOrder() SecondOrder
	// Outliers returns the factors of tries, and the outliers of which tries propose apart. Without outliers, the factors
	// are those of SecondOrder.
	Outliers() (SecondOrder, selector.Outliers)
	// Tries returns the number of tries of a step that the driver makes before AfterTries, at most selector.MaxTries.
	Tries() uint64
	// AfterTries returns the choice of step s from v, reached from prev, after Tries tries were rejected: None if no edge
	// has a bias.
	AfterTries(g *graph.Graph, key rng.Key, s uint64, prev, v uint32) (next uint32, position uint64)
}

// LabelPath is a walk whose steps follow edges of given labels.
type LabelPath interface {
	App
	// Path returns the labels of successive steps; it is repeated if the walk is longer. The caller must not change it.
	Path() []int32
	// Threshold is the probability of stopping after each step, in units of 2^-32.
	Threshold() uint64
}

// FanoutTree is a tree of given fan-outs that grows from each root.
type FanoutTree interface {
	StaticWeights
	// TreeFanouts returns the number of edges that each vertex of a step takes. The caller must not change them.
	TreeFanouts() []int
	// Replaces reports whether a vertex may take an edge several times.
	Replaces() bool
}

// FrontierTree is an app whose samples grow hop by hop from all roots together. At most FrontierLimit vertices of a step are
// expanded, which are drawn without replacement. Its samples are layered if the limit is not 0.
type FrontierTree interface {
	FanoutTree
	// FrontierLimit returns the limit, or 0 if all vertices are expanded.
	FrontierLimit() int
}

// ComputedBias describes a bias that is computed when a choice needs it, and when a walk with this bias ends.
type ComputedBias struct {
	Kind      BiasKind
	Threshold uint64      // the probability of stopping after each step, in units of 2^-32
	MostSteps int         // the largest number of steps of a walk, or 0 if there is no limit
	Order     SecondOrder // the factors of BiasSecondOrder
	Labels    []int32     // the labels of successive steps of BiasLabelled, repeated if the walk is longer
}

// BiasKind is a kind of computed bias.
type BiasKind int

// The kinds of computed biases. All but BiasDegree read the graph's weights.
const (
	BiasWeight      BiasKind = iota // an edge's weight
	BiasDegree                      // the degree of its end point
	BiasStopping                    // an edge's weight; the walk ends with a probability
	BiasSecondOrder                 // an edge's weight times the factor of second order
	BiasLabelled                    // an edge's weight, 0 if it has another label than the step
)

// Weights is Weighted.
func (a *DeepWalk) Weights() Weighted { return a.Weighted }

// Weights is Weighted.
func (a *PPR) Weights() Weighted { return a.Weighted }

// Weights is Weighted.
func (a *Node2Vec) Weights() Weighted { return a.Weighted }

// Tries is selector.MaxTries.
func (a *Node2Vec) Tries() uint64 { return selector.MaxTries }

// Weights is Weighted.
func (a *KHop) Weights() Weighted { return a.Weighted }

// Weights is Weighted.
func (a *Teleport) Weights() Weighted { return a.Weighted }

// MostSteps is MaxLength.
func (a *PPR) MostSteps() int { return a.MaxLength }

// Home is false: it jumps to any vertex.
func (a *Jump) Home() bool { return false }

// Home is true.
func (a *Restart) Home() bool { return true }

// Path is Labels.
func (a *MetaPath) Path() []int32 { return a.Labels }

// TreeFanouts is Fanouts.
func (a *KHop) TreeFanouts() []int { return a.Fanouts }

// Replaces is Replace.
func (a *KHop) Replaces() bool { return a.Replace }

// ComputedBias is the weight, or the degree.
func (a *DeepWalk) ComputedBias() ComputedBias {
	if a.byDegree {
		return ComputedBias{Kind: BiasDegree}
	}
	return ComputedBias{Kind: BiasWeight}
}

// ComputedBias is the weight, and the walk's end.
func (a *PPR) ComputedBias() ComputedBias {
	return ComputedBias{Kind: BiasStopping, Threshold: a.Threshold(), MostSteps: a.MaxLength}
}

// ComputedBias is the weight times the factor of second order.
func (a *Node2Vec) ComputedBias() ComputedBias {
	return ComputedBias{Kind: BiasSecondOrder, Order: a.SecondOrder()}
}

// ComputedBias is the weight among the edges of a step's label.
func (a *MetaPath) ComputedBias() ComputedBias {
	return ComputedBias{Kind: BiasLabelled, Threshold: a.Threshold(), Labels: a.Labels}
}

// The apps that have each capability.
var (
	_ Stopper       = (*PPR)(nil)
	_ Teleporter    = (*Jump)(nil)
	_ Teleporter    = (*Restart)(nil)
	_ SecondOrderer = (*Node2Vec)(nil)
	_ SecondOrderer = (*NonBacktracking)(nil)
	_ LabelPath     = (*MetaPath)(nil)
	_ FanoutTree    = (*KHop)(nil)
	_ StaticWeights = (*DeepWalk)(nil)
	_ Computing     = (*DeepWalk)(nil)
	_ Computing     = (*PPR)(nil)
	_ Computing     = (*Node2Vec)(nil)
	_ Computing     = (*MetaPath)(nil)
)
