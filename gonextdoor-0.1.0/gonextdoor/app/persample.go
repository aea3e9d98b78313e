package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// The values of GraphSAINT.Method.
const (
	NodeMethod             = "node"
	EdgeMethod             = "edge"
	WalkMethod             = "walk"
	MultidimensionalMethod = "multidimensional"
)

// The capabilities of apps whose samples are made one at a time (DriverPerSample). The grower of such an app asks for one
// of them, as other drivers ask for those in capability.go.

// BreadthFirst is an app whose samples grow level by level from their roots and hold every vertex once.
type BreadthFirst interface {
	App
	// MaxDepth returns the largest number of levels after the roots, or 0 if a sample grows until nothing is new.
	MaxDepth() int
	// VisitsAll reports whether every transit visits all its neighbours. NewNeighbors is not needed then.
	VisitsAll() bool
	// NewNeighbors returns the largest number of new neighbours that a transit with degree edges visits. key has the words of
	// the transit's choices.
	NewNeighbors(key rng.Key, degree uint64) uint64
	// NeighborDraws describes NewNeighbors, for engines that cannot call it.
	NeighborDraws() NeighborDraws
}

// NeighborDraws describes how many new neighbours a transit visits: Fanout, or as many as Burns draws.
type NeighborDraws struct {
	Fanout    int    // at least 1, or All
	Burns     bool   // whether the number is that of successive words, from FireSlot on, below Threshold
	Threshold uint64 // in units of 2^-32
}

// UniformDraws is an app that draws vertices, edges or clusters of the whole graph uniformly at random. Its links are the
// edges drawn, or all edges between the vertices of a sample.
type UniformDraws interface {
	Layered
	// Draws returns the number of draws per sample, and whether they are made with replacement.
	Draws() (n int, replace bool)
}

// ClusterDraws is an app that draws clusters of a partition of the vertices.
type ClusterDraws interface {
	UniformDraws
	// Lists returns the vertices of each cluster. The app must be bound.
	Lists() *ClusterLists
}

// InducedDraws describes how the vertices of an induced subgraph are drawn. See GraphSAINT for the methods.
type InducedDraws struct {
	Method        string           // NodeMethod, EdgeMethod, WalkMethod or MultidimensionalMethod
	Budget        int              // draws, of all methods but WalkMethod; the first frontier counts
	Roots, Length int              // walks or frontier vertices, and steps per walk
	Biases        index.Cumulative // of vertices (NodeMethod) or edges (EdgeMethod)
	Table         *index.Table     // which the biases are read from; nil: the method has none
}

// InducedDrawer is an app that draws vertices from the whole graph and records all edges between them.
type InducedDrawer interface {
	App
	// InducedDraws returns the description. The app must be bound.
	InducedDraws() InducedDraws
}

// ImportanceLayers describes layers of vertices that are drawn in proportion to an importance.
type ImportanceLayers struct {
	Sizes         []int // of the layers; the caller must not change them
	Replace       bool  // whether a layer may hold a vertex several times
	Normalize     bool  // whether the values of the links of each vertex are divided by their sum
	Normalization index.Normalization
}

// ImportanceLayered is an app that draws layers by importance, and links each layer with the one before. The importances
// are those of index.Normalization for the layer before, unless the app has a FixedImportance.
type ImportanceLayered interface {
	App
	// ImportanceLayers returns the description.
	ImportanceLayers() ImportanceLayers
}

// FixedImportance is an app whose layers are drawn from the whole graph, by importances that no other layer changes.
type FixedImportance interface {
	ImportanceLayered
	// Importance returns the importances of all vertices. The app must be bound.
	Importance() index.Importance
}

// CollectiveSteps describes steps at which all transits of a sample choose together among their edges.
type CollectiveSteps struct {
	StepSize int  // edges that a step chooses
	MaxSize  int  // vertices of a sample after its roots
	Unique   bool // whether the end points of a step's edges are distinct
	Bias     CollectiveBias
}

// CollectiveStepper is an app whose samples grow by collective steps.
type CollectiveStepper interface {
	App
	// CollectiveSteps returns the description. The app must be bound.
	CollectiveSteps() CollectiveSteps
}

// CollectiveBias is the bias of an edge in a choice among the edges of several vertices.
type CollectiveBias struct {
	By  Bias
	top int16
}

// NewCollectiveBias returns the bias by a quantity. top is index.MaxScale of the graph, if by is ByWeight.
func NewCollectiveBias(by Bias, top int16) CollectiveBias { return CollectiveBias{by, top} }

// Unit returns the largest of graph.Scales among the rows of a graph, if By is ByWeight: biases are weights in that unit,
// made finer by unitBits.
func (b CollectiveBias) Unit() int16 { return b.top }

// unitBits is the number of bits by which the unit of a collective choice is finer than that of the row with the largest
// unit.
const unitBits = 8

// Of returns the bias of the edge at a position of g, from v to dst. By weight, it is an integer in one unit for all rows:
// 2^-40 of the graph's largest weight or finer. It is rounded down, but no positive weight becomes 0.
func (b CollectiveBias) Of(g *graph.Graph, v uint32, position uint64, dst uint32) uint64 {
	switch b.By {
	case ByDegree:
		return g.Degree(dst)
	case ByWeight:
		bias := uint64(g.Biases[position])
		return max(min(bias, 1), bias<<unitBits>>uint(int(b.top)-int(g.Scales[v])))
	}
	return 1
}

// BatchExpander is an app that draws a batch of vertices without replacement, and expands it hop by hop.
type BatchExpander interface {
	App
	// BatchSize returns the number of vertices of a batch.
	BatchSize() int
	// Candidates returns the vertices of the graph. A batch is drawn in proportion to their biases, or uniformly at random if
	// they have no alias table. The app must be bound.
	Candidates() index.Candidates
	// HopFanouts returns the number of edges that each vertex of a hop takes, or All. The caller must not change them.
	HopFanouts() []int
	// ScoreTable returns the scores by which the batch is drawn, or nil.
	ScoreTable() *Scores
}
