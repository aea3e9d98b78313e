package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
)

// Cost is the time of one operation of an app (Expected.Operations) on one CPU thread, in nanoseconds. `gonextdoor bench
// --costs` measures both numbers: the CPU time of a run on one thread, divided by the expected number of operations.
type Cost struct {
	Cached float64 // on a graph of cachedBytes, which fits the caches: R-MAT, 2^14 vertices, 2^18 edges
	Memory float64 // on a graph of memoryBytes, which does not: R-MAT, 2^20 vertices, 2^24 edges
}

// The sizes in bytes of the two graphs on which costs are measured.
const (
	cachedBytes = 4<<18 + 8<<14
	memoryBytes = 4<<24 + 8<<20
)

// On returns the time of one operation on a graph, in seconds. Between the two measured sizes, the cost is linear in the
// logarithm of the size; beyond them it is constant.
func (c Cost) On(size Size) float64 {
	bytes := 4*float64(size.Edges) + 8*float64(size.Vertices)
	share := math.Log2(max(bytes, 1)/cachedBytes) / math.Log2(float64(memoryBytes)/cachedBytes)
	return 1e-9 * (c.Cached + min(1, max(0, share))*(c.Memory-c.Cached))
}

// Size has the properties of a graph on which the expected work of an app depends. The zero value is an unknown graph.
type Size struct {
	Vertices, Edges int
	Weighted        bool
	Samples         int          // samples of the call, on which depends whether tables pay; 0 if unknown
	Profile         *Profile     // of the rows; if nil, that of graph
	graph           *graph.Graph // nil if unknown
}

// SizeOf returns the size of a graph.
func SizeOf(g *graph.Graph) Size {
	return Size{Vertices: g.NumVertices(), Edges: g.NumEdges(), Weighted: g.Weighted(), graph: g}
}

// WithProfile returns the size with the profile of the graph, as methods see it that need one.
func (s Size) WithProfile() Size {
	s.Profile = s.profile()
	return s
}

// Degree returns the mean degree of a vertex, infinite if the graph is unknown.
func (s Size) Degree() float64 {
	if s.Vertices == 0 {
		return math.Inf(1)
	}
	return float64(s.Edges) / float64(s.Vertices)
}

// Neighbor returns the mean degree of the end point of an edge.
func (s Size) Neighbor() float64 {
	if p := s.profile(); p != nil {
		return p.Neighbor
	}
	return s.Degree()
}

// Expected is the expected size of one sample. Both numbers are infinite if unbounded.
type Expected struct {
	Vertices   float64 // vertices of the sample after its roots
	Operations float64 // choices, and edges that are read to make them; Cost is per operation
}

// Expecting is an app that estimates the size of its samples, because they have no fixed width, or because a vertex takes
// more than one operation.
type Expecting interface {
	App
	// Expect returns the expected size of one sample with the given number of roots on a graph of a size.
	Expect(roots int, on Size) Expected
}

// Expect returns the expected size of one sample of an app. Unless the app is Expecting, that is one operation for each
// vertex of its width.
func Expect(a App, roots int, on Size) Expected {
	if e, ok := a.(Expecting); ok {
		return e.Expect(roots, on)
	}
	if width := a.Width(roots); width > 0 {
		e := same(float64(width - roots))
		if ComputesOn(a, on) {
			e.Operations = walked(e.Vertices, on.Steps(e.Vertices, 0), endedComputed)
		}
		return e
	}
	return same(math.Inf(1))
}

// GrownApp is an app of whose samples some are made one at a time on the CPU, although its driver makes walkers.
type GrownApp interface {
	App
	// PerSample reports whether threads share samples with the given number of roots one by one, and not in groups.
	PerSample(roots int) bool
}

// Costed is an app whose cost on the CPU depends on its parameters.
type Costed interface {
	App
	// CPUCost returns the cost of samples with the given number of roots on a graph of a size.
	CPUCost(roots int, on Size) Cost
}

// Seconds returns the expected time of one sample on one CPU thread, in seconds.
func Seconds(a App, roots int, on Size) float64 {
	spec := Specs[a.Name()]
	cost := spec.Cost
	if c, ok := a.(Costed); ok {
		cost = c.CPUCost(roots, on)
	} else if ComputesOn(a, on) {
		cost = spec.Computed
	}
	return Expect(a, roots, on).Operations * cost.On(on)
}

// The cost of a step of a walk that has ended, in operations: by stored biases, and by computed ones, which cost more.
const (
	endedStored   = 0.25
	endedComputed = 0.1
)

// walked returns the operations of length steps of which a walk takes some before it ends.
func walked(length, steps, ended float64) float64 { return steps + ended*(length-steps) }

// same returns the expectation of one operation for each vertex.
func same(vertices float64) Expected { return Expected{vertices, vertices} }

// Operations of breadth-first samples: per root, for the start of a sample, and per vertex that is drawn.
const (
	rootOperations = 40
	drawOperations = 4
)

// expectLevels returns the expected size of a breadth-first sample with distinct vertices. grow returns the number of
// vertices that a level adds, given the vertices of the level before and their edges. The sample ends when it has all
// vertices of the graph, and after depth levels unless depth is 0. If whole is true, all edges of a vertex are read.
func expectLevels(roots, depth int, on Size, whole bool, grow func(level, edges float64) float64) (e Expected) {
	level, degree, left := float64(roots), on.Degree(), float64(on.Vertices-roots)
	if on.Vertices == 0 {
		return same(math.Inf(1))
	}
	e.Operations = rootOperations * float64(roots)
	for step := 0; (depth == 0 || step < depth) && level >= 0.01; step++ {
		edges := min(level*degree, float64(on.Edges))
		level = min(grow(level, edges), left)
		if whole { // vertices are not drawn, and many edges lead to vertices of the sample
			e.Operations += level + edges
		} else {
			e.Operations += drawOperations * level
		}
		e.Vertices, left = e.Vertices+level, left-level
		degree = on.Neighbor()
	}
	return e
}
