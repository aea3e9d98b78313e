package app

import (
	"bytes"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// The capabilities of apps. A driver asks a bound app for a capability, never for its type, so an app runs by any driver
// whose capability it has.

// StaticWeights is an app whose choices follow stored weights, or none.
type StaticWeights interface {
	App
	// Weights is Yes if a bound app chooses by the graph's alias tables, Computed if by a search in sums of biases
	// (index.Segments, or index.LabelWeights for a LabelPath), No if it chooses uniformly at random.
	Weights() Weighted
}

// RowLocal is an app whose samples depend only on its parameters and on the rows of the vertices that they contain. Of two graphs
// that differ in other rows, a sample of one is a sample of the other.
type RowLocal interface {
	App
	// RowLocal reports whether this holds with the app's parameters, which need not be bound. grown reports whether the graphs
	// also differ in their numbers of vertices.
	RowLocal(grown bool) bool
}

// IsRowLocal reports whether an app is a RowLocal one, with its parameters.
func IsRowLocal(a App, grown bool) bool {
	local, ok := a.(RowLocal)
	return ok && local.RowLocal(grown)
}

// UniformStepper is a step program whose walks may be those of one uniform choice per step.
type UniformStepper interface {
	App
	// UniformTry returns the try of the word by which a walk from one root makes the choice of a step, and whether its steps
	// are such choices.
	UniformTry() (try uint64, uniform bool)
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
	StaticWeights
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

// ComputedBias describes a bias that is computed when a choice needs it.
type ComputedBias struct {
	Kind  BiasKind
	Order SecondOrder // the factors of BiasSecondOrder
}

// BiasKind is a kind of computed bias.
type BiasKind int

// The kinds of computed biases. BiasSecondOrder reads the graph's weights.
const (
	BiasDegree      BiasKind = iota // the degree of an edge's end point
	BiasSecondOrder                 // an edge's weight times the factor of second order
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
type computedOn interface{ ComputedOn(on Size) bool }

// ComputesOn reports whether an app will make its choices on a graph without alias tables: it computes biases when a choice needs
// them, or it searches. The app need not be bound.
func ComputesOn(a App, on Size) bool {
	c, ok := a.(computedOn)
	return ok && c.ComputedOn(on) || SearchesOn(a, on)
}

// searchedOn is an app that knows before it is bound whether its choices will search in sums of biases.
type searchedOn interface{ SearchedOn(on Size) bool }

// SearchesOn reports whether the choices of an app on a graph will search in sums of biases (index.Segments). The app need not
// be bound.
func SearchesOn(a App, on Size) bool {
	s, ok := a.(searchedOn)
	return ok && s.SearchedOn(on)
}

// All is the fan-out that takes every candidate.
const All = -1

// EdgeSetReader is an app whose choices may look up whether an edge exists.
type EdgeSetReader interface {
	// ReadsEdgeSet reports whether they do on the CPU. Then index.EdgeSetTable can pay.
	ReadsEdgeSet() bool
}

// JumpTo returns the target of a jump at step s of a sample, on a graph with a number of vertices.
func JumpTo(vertices int, key rng.Key, s uint64) uint32 {
	v, _ := rng.Below(key.Word(rng.Slot(s, 1)), uint64(vertices))
	return uint32(v)
}

// TimeBias is how the probabilities of edges depend on their times.
type TimeBias int

// The values of TimeBias. The zero value is UniformInTime.
const (
	UniformInTime     TimeBias = iota // all candidates are equally likely
	LinearInTime                      // in proportion to n-i: the order of the times counts, not the times
	ExponentialInTime                 // in proportion to exp(-d/Scale), d being the time from the nearest candidate
)

// UnmarshalJSON reads "uniform", "linear" and "exponential".
func (b *TimeBias) UnmarshalJSON(text []byte) error {
	switch string(bytes.TrimSpace(text)) {
	case `"uniform"`:
		*b = UniformInTime
	case `"linear"`:
		*b = LinearInTime
	case `"exponential"`:
		*b = ExponentialInTime
	default:
		return refuse.Type("bias = %s: expected \"uniform\", \"linear\" or \"exponential\"", text)
	}
	return nil
}

// TemporalWalker is a walk along edges in order of time, in the rows of index.TemporalRows.
type TemporalWalker interface {
	App
	// TimeBias is the bias of the candidates of a step.
	TimeBias() TimeBias
	// TimeOrder is the order of edges along the walk. The app must be bound.
	TimeOrder() index.TemporalOrder
	// TimeLimits are the limits of walks in time.
	TimeLimits() TimeLimits
}

// TimeScaled is an app whose parameters depend on the times of the whole graph. A part of a graph binds it with their
// properties.
type TimeScaled interface {
	App
	// BindTimes is Bind for a graph with index.MeanGap and index.TimeSpan, which it does not compute.
	BindTimes(g *graph.Graph, gap, span uint64) (App, error)
}
