package app

import (
	"math"
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
		e := PerVertex(float64(width - roots))
		if ComputesOn(a, on) {
			e.Operations = Walked(e.Vertices, on.Steps(e.Vertices, 0), EndedComputed)
		}
		return e
	}
	return PerVertex(math.Inf(1))
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

// The cost of a step of a walk that has ended, in operations: by stored biases, and by computed ones, which cost more.
const (
	EndedStored   = 0.25
	EndedComputed = 0.1
)

// Walked returns the operations of length steps of which a walk takes some before it ends.
func Walked(length, steps, ended float64) float64 { return steps + ended*(length-steps) }

// PerVertex returns the expectation of one operation for each vertex.
func PerVertex(vertices float64) Expected { return Expected{vertices, vertices} }
