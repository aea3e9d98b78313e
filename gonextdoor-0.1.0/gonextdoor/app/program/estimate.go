package program

import (
	"math"

	"gonextdoor/gonextdoor/app"
)

// Operations of samples of users' apps: per pick of a sample that is grown, per proposal of a walk under a bound, and per
// vertex of a pool, and per edge of a row that is searched for induced edges.
const (
	grownOperations    = 9
	proposedOperations = 10
	pooledOperations   = 2
	inducedOperations  = 0.5
)

// The costs on the CPU of an operation of a user's app: a walk, a walk by an EdgeBias, and a sample that is grown, of which few
// edges are read.
var (
	WalkCost     = app.Cost{Cached: 7, Memory: 22}
	ComputedCost = app.Cost{Cached: 7, Memory: 19}
	grownCost    = app.Cost{Cached: 14, Memory: 15}
)

// PerSample reports whether samples are grown, or are walks of different lengths.
func (a *Custom) PerSample(roots int) bool {
	b := a.with(nil)
	return b.grows(roots) || b.StepProgram.Width(roots) == 0
}

// level is a step of a sample: its transits, and the vertices that they pick.
type level struct{ transits, vertices float64 }

// levels returns the expected steps of a sample. The number of steps and the fan-outs must be known.
func (a *StepProgram) levels(roots int, on app.Size) []level {
	steps, n, degree := make([]level, a.Steps), float64(roots), on.Degree()
	for step := range steps {
		steps[step].transits = n
		switch f := a.FanoutAt(step); {
		case a.VertexBias != nil:
			steps[step].transits, n = 1, 1
		case f == app.All:
			n *= degree
		case a.Scope == Collective:
			n = float64(f)
		default:
			n *= float64(f)
		}
		if a.Unique == PerSample && on.Vertices > 0 {
			n = min(n, float64(on.Vertices))
		}
		steps[step].vertices, degree = n, on.Neighbor()
	}
	return steps
}

// Expect returns the whole sample if its number of steps and its fan-outs are known. A bias without a bound is computed
// for each edge of a row.
func (a *Custom) Expect(roots int, on app.Size) app.Expected {
	b := a.with(nil)
	if b.Steps == 0 || b.StepProgram.Fanout != nil {
		return app.PerVertex(math.Inf(1))
	}
	each, proposals, degree, e := 1.0, float64(proposedOperations), on.Degree(), app.Expected{}
	if b.grows(roots) {
		each, proposals = grownOperations, 4
		if b.Record != Nothing || b.Unique != Repeats { // each vertex is looked up
			each *= 2
		}
	}
	for _, level := range b.levels(roots, on) {
		e.Vertices, e.Operations = e.Vertices+level.vertices, e.Operations+each*level.vertices
		if b.VertexBias != nil {
			e.Operations += pooledOperations * float64(roots)
		}
		if b.Bound != nil { // each proposal is weighed
			e.Operations += proposals * level.vertices
		}
		if b.EdgeBias != nil && b.Bound == nil && on.Vertices > 0 {
			e.Operations += level.transits * degree
		}
		if b.Record == Induced && on.Vertices > 0 {
			e.Operations += inducedOperations * level.vertices * on.Neighbor()
		}
		degree = on.Neighbor()
	}
	return e
}

// CPUCost returns the cost of samples that are grown, or that of walks.
func (a *Custom) CPUCost(roots int, on app.Size) app.Cost {
	switch b := a.with(nil); {
	case b.grows(roots):
		return grownCost
	case app.ComputesOn(a, on):
		return ComputedCost
	}
	return WalkCost
}

// Sequence counts the choices, which are made one after another, and the picks of each that depend on those before. A pool
// has one thread, and so have walks, unless each choice reads a row.
func (a *Custom) Sequence(roots int, on app.Size) (s app.Sequence, ok bool) {
	b := a.with(nil)
	switch {
	case b.Steps == 0 || b.StepProgram.Fanout != nil:
		return app.Sequence{}, false
	case b.VertexBias != nil:
		return app.Sequence{Kind: "pool", Threads: 1, Choices: float64(b.Steps)}, true
	case !b.grows(roots):
		return app.Sequence{Kind: "computed", Threads: 32, Choices: float64(b.Steps)}, b.EdgeBias != nil && roots == 1
	}
	s.Kind, s.Threads = "picks", 32
	dependent := b.EdgeBias != nil && b.Bound == nil && !b.Replace
	switch {
	case b.Scope == Collective:
		s.Kind, s.Threads = "collective", 256
	case b.Record != Nothing:
		s.Kind = "recorded"
	case b.EdgeBias != nil:
		s.Kind = "weighed picks"
	}
	for step, level := range b.levels(roots, on) {
		s.Steps++
		if b.Scope == Individual {
			s.Choices += level.transits
		}
		if dependent && b.FanoutAt(step) != app.All {
			s.Choices += level.vertices
		}
	}
	return s, true
}
