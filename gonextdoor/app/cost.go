package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
)

// Cost is the time of one operation of an app (Expected.Operations) on one CPU thread, in nanoseconds. Both numbers are
// measured by `gonextdoor bench --costs`: the CPU time of the process, of one thread, divided by the operations expected.
type Cost struct {
	Cached float64 // on a graph of cachedBytes, which fits the caches: R-MAT, 2^14 vertices, 2^18 edges
	Memory float64 // on a graph of memoryBytes, which does not: R-MAT, 2^20 vertices, 2^24 edges
}

// The bytes of the rows of the two graphs that costs are measured on.
const (
	cachedBytes = 4<<18 + 8<<14
	memoryBytes = 4<<24 + 8<<20
)

// On returns the seconds of one operation on a graph. Between the two sizes that were measured, the cost is linear in the
// logarithm of the size; beyond them it is constant.
func (c Cost) On(size Size) float64 {
	bytes := 4*float64(size.Edges) + 8*float64(size.Vertices)
	share := math.Log2(max(bytes, 1)/cachedBytes) / math.Log2(float64(memoryBytes)/cachedBytes)
	return 1e-9 * (c.Cached + min(1, max(0, share))*(c.Memory-c.Cached))
}

// Size is what the expected work of an app on a graph depends on. The zero value is a graph of which nothing is known.
type Size struct {
	Vertices, Edges int
	Weighted        bool
	Samples         int          // of the call, which decide whether tables pay; 0: unknown
	Profile         *Profile     // of the rows; nil: that of graph, if it is known
	graph           *graph.Graph // nil: unknown
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

// Expected is about how large one sample is. Both numbers are infinite if nothing bounds them.
type Expected struct {
	Vertices   float64 // vertices that are chosen: those of the sample after its roots
	Operations float64 // choices, and edges that are read to make them: what Cost is the cost of
}

// Expecting is an app that knows how large its samples are if they have no fixed width, or how many operations a choice of
// it takes.
type Expecting interface {
	App
	// Expect returns what to expect of one sample of so many roots on a graph of a size.
	Expect(roots int, on Size) Expected
}

// Expect returns what to expect of one sample of an app: one operation for each vertex of a fixed width, unless the app
// knows better.
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

// Seconds returns the time that one sample of an app is expected to take on one CPU thread.
func Seconds(a App, roots int, on Size) float64 {
	spec := Specs[a.Name()]
	cost := spec.Cost
	if ComputesOn(a, on) {
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

// same is one operation for each vertex.
func same(vertices float64) Expected { return Expected{vertices, vertices} }

// Operations of samples that have no vertex twice: of a root, which begins a sample, and of a vertex that is drawn.
const (
	spreadRoot = 40
	spreadDraw = 4
)

// spread returns what to expect of a sample that grows step by step from roots vertices: grow returns the vertices that a
// step adds, given those of the step before and the edges that these have. A sample has no vertex twice, so it ends at the
// size of the graph, and after depth steps unless that is 0. If whole is true, all edges of a vertex are read.
func spread(roots, depth int, on Size, whole bool, grow func(level, edges float64) float64) (e Expected) {
	level, degree, left := float64(roots), on.Degree(), float64(on.Vertices-roots)
	if on.Vertices == 0 {
		return same(math.Inf(1))
	}
	e.Operations = spreadRoot * float64(roots)
	for step := 0; (depth == 0 || step < depth) && level >= 0.01; step++ {
		edges := min(level*degree, float64(on.Edges))
		level = min(grow(level, edges), left)
		if whole { // a vertex is not drawn, and many edges lead to one that is there
			e.Operations += level + edges
		} else {
			e.Operations += spreadDraw * level
		}
		e.Vertices, left = e.Vertices+level, left-level
		degree = on.Neighbor()
	}
	return e
}
