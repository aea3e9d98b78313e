// Package program runs apps that are described as data and hooks, one step after another. StepProgram.Sample is their serial
// definition. Go programs define further apps as a Custom.
package program

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/selector"
)

// StepProgram describes an app as data and hooks. Every step of it has five parts: transits, candidates, biases, selection,
// update. Apps without a definition in plain Go are defined by a StepProgram; so are apps of users (Custom).
//
// At each step every transit (Individual), or all transits of the sample together (Collective), choose among their edges.
// The picks are recorded, Update decides to which vertex each leads, and those vertices are the next transits. A transit
// without candidates picks nothing. A sample ends when it has no transits, or after Steps steps.
//
// Hooks are called in this order: VertexBias, Stop, Fanout, Bound, EdgeBias or Next, Update. Bound and EdgeBias are called
// only if there are candidates, and no hook is called without a transit. Biases of walks are below 2^32. Engines call hooks
// from several threads.
type StepProgram struct {
	Scope    Scope        `json:"scope"`
	Steps    int          `json:"steps"`   // 0 to MaxLength; 0: until there are no transits
	Fanouts  []int        `json:"fanouts"` // picks at each step, the last for all later steps; All: every candidate with a bias; nil: 1
	Replace  bool         `json:"replace"` // whether a candidate may be picked several times
	Unique   Unique       `json:"unique"`
	Record   Record       `json:"record"`
	Weighted app.Weighted `json:"weighted"` // of choices without an EdgeBias

	// Follows limits the candidates of a walk's step to the edges that may follow the previous edge in an order of time, for
	// which alone EdgeBias may be positive. The candidates are in that order, at the first step too. nil: all edges of the row
	// are candidates, in its order.
	Follows *index.TemporalOrder `json:"follows"`

	// Fanout returns the number of picks of a choice. It replaces Fanouts.
	Fanout func(c *Ctx) int `json:"-"`
	// EdgeBias returns the bias of a candidate. If it is nil, biases are the weights or equal, depending on Weighted.
	EdgeBias func(c *Ctx, edge uint64, dst uint32) uint64 `json:"-"`
	// Bound returns an upper bound of EdgeBias for all candidates of a choice. With it, candidates are proposed uniformly and
	// accepted in proportion to their bias, so that not all biases are computed.
	Bound func(c *Ctx) uint64 `json:"-"`
	// Next makes the choice: it returns a vertex, which need not be a neighbour, or graph.None.
	Next func(c *Ctx) uint32 `json:"-"`
	// VertexBias returns the bias of a vertex of the pool, which begins as the roots. The transit of each step is drawn from
	// the pool by it, and the vertex that is picked replaces the transit there.
	VertexBias func(c *Ctx, v uint32) uint64 `json:"-"`
	// Update returns the vertex to record and to continue from: dst, c.Transit to stay, or any other to jump. If it returns
	// graph.None, dst is recorded and is not a transit of the next step.
	Update func(c *Ctx, edge uint64, dst uint32) uint32 `json:"-"`
	// Stop ends a transit before its choice.
	Stop func(c *Ctx) bool `json:"-"`
	// Faults records the faults of hooks. If it is nil, hooks are trusted.
	Faults Faults `json:"-"`
}

// Stepped is an app that a StepProgram defines. The driver DriverHooked runs any such app.
type Stepped interface {
	app.App
	// Program returns the StepProgram that Sample delegates to. It is called once per run, on the bound app.
	Program() *StepProgram
}

// Faults records the first fault of a run, in the order of samples, steps and kinds. The choice in which a fault occurs
// continues as if the hook had returned 0 or no vertex. Threads may share it.
type Faults interface {
	Note(sample uint64, step int, kind hook.Kind)
}

// Scope selects the candidates of a choice.
type Scope int

// The values of Scope.
const (
	Individual Scope = iota // the edges of one transit
	Collective              // the edges of all transits of the sample, in the order of their slots
)

// Unique selects the vertices that a sample holds once.
type Unique int

// The values of Unique.
const (
	Repeats   Unique = iota // none: vertices may repeat
	PerStep                 // those of one step
	PerSample               // all, roots included
)

// Record selects the edges that a sample records, apart from those it took.
type Record int

// The values of Record.
const (
	Nothing   Record = iota
	Adjacency        // from the transits of each step to the vertices of the next
	Induced          // between any two vertices of the sample
)

// Single reports whether each transit makes one pick that does not depend on the other picks, as a walker does.
func (a *StepProgram) Single() bool {
	one := a.Scope == Individual && a.Unique == Repeats && a.Fanout == nil
	for _, f := range a.Fanouts {
		one = one && f == 1
	}
	return one
}

// Walks reports whether a sample is one walk: one choice per step, under the key of the sample.
func (a *StepProgram) Walks(roots int) bool { return a.Single() && (roots == 1 || a.VertexBias != nil) }

// fixed reports whether all samples have the same number of slots.
func (a *StepProgram) fixed() bool {
	for _, f := range a.Fanouts {
		if f == app.All {
			return false
		}
	}
	return a.Steps > 0 && a.Fanout == nil && a.Record == Nothing
}

// Layered reports whether samples of the given number of roots are layered: they have links, or they differ in size and are
// not walks.
func (a *StepProgram) Layered(roots int) bool {
	return a.Record != Nothing || !a.fixed() && !a.Walks(roots)
}

// Records reports whether samples have links.
func (a *StepProgram) Records() bool { return a.Record != Nothing }

// Lanes returns the number of independent walkers of a sample with the given number of roots: 1, or one per root. It is 0 if
// samples do not consist of walkers that make one pick per step.
func (a *StepProgram) Lanes(roots int) int {
	switch {
	case a.Layered(roots):
		return 0
	case a.Walks(roots):
		return 1
	case a.Single():
		return roots
	default:
		return 0
	}
}

// FanoutAt returns the fan-out of a step, if it is not a hook.
func (a *StepProgram) FanoutAt(step int) int {
	if len(a.Fanouts) == 0 {
		return 1
	}
	return a.Fanouts[min(step, len(a.Fanouts)-1)]
}

// Limits of apps with hooks of a user.
const (
	maxSteps = hook.MaxSteps  // steps of a sample without a limit
	maxPicks = hook.MaxFanout // picks that Fanout may return
)

// PickCount returns the number of picks if the hook Fanout returned k: k, or 0 after noting a fault if k is out of range.
func (a *StepProgram) PickCount(c *Ctx, k int) int {
	if k < 0 || a.Faults != nil && k > maxPicks {
		if a.Faults != nil {
			a.Faults.Note(c.Sample, c.Step, hook.BadFanout)
		}
		return 0
	}
	return k
}

// static reports whether biases are stored or equal, not computed by a hook.
func (a *StepProgram) static() bool { return a.EdgeBias == nil && a.Next == nil }

// Width returns the number of vertices of a whole sample, or 0 if samples differ in length.
func (a *StepProgram) Width(roots int) int {
	if !a.fixed() {
		return 0
	}
	width, level := roots, roots
	if a.Scope == Collective || a.VertexBias != nil {
		level = 1
	}
	for step := range a.Steps {
		f := min(a.FanoutAt(step), app.MaxWidth)
		if a.Scope == Collective {
			level = f
		} else {
			level *= f
		}
		if width += level; width > app.MaxWidth {
			return app.MaxWidth + 1
		}
	}
	return width
}

// Weighs reports whether the choices follow the weights of g by alias tables.
func (a *StepProgram) Weighs(g *graph.Graph) bool {
	return a.static() && a.Scope == Individual && a.Weighted.Follows(g)
}

// Selector names the selector of the choices. It follows from the app and the graph alone; "Selection without replacement" in
// docs/reproducibility-words.md gives the reasons.
func (a *StepProgram) Selector() string {
	static, bound := app.StaticSelector(a.Weighted), a.Bound != nil
	switch {
	case a.Next != nil:
		return "the app's own"
	case a.everything():
		return "All"
	case a.Single() && a.static():
		return static
	case a.Single() && bound && a.Follows != nil:
		return fmt.Sprintf("Reject(%d+d/%d), Reservoir, by time", LeastTries, TriesShare)
	case a.Single() && bound:
		return fmt.Sprintf("Reject(%d+d/%d), Reservoir", LeastTries, TriesShare)
	case a.Single() && a.Follows != nil:
		return "Reservoir, by time"
	case a.Single():
		return "Reservoir"
	case bound:
		return "Distinct(Reject)"
	case a.static() && a.Unique != Repeats:
		return "Distinct(" + static + ")"
	case a.static():
		return app.FanoutSelector(a.Replace, a.Weighted)
	case a.Replace && a.Unique == Repeats:
		return "Scan"
	default:
		return "Deplete"
	}
}

// everything reports whether every choice takes all candidates.
func (a *StepProgram) everything() bool {
	all := a.Fanout == nil && len(a.Fanouts) > 0
	for _, f := range a.Fanouts {
		all = all && f == app.All
	}
	return all
}

// Check returns an error if the program is invalid for every graph, or its parts contradict one another.
func (a *StepProgram) Check() error {
	if err := app.CheckLength("steps", a.Steps, 0); err != nil {
		return err
	}
	for i, f := range a.Fanouts {
		if f != app.All && (f < 1 || f > app.MaxWidth) {
			return refuse.Value("fanouts[%d] = %d: expected from 1 to 2^28, or -1 for all", i, f)
		}
		if f == app.All && a.Next != nil {
			return refuse.Value("fanouts[%d] = -1: next needs the number of picks; expected at least 1", i)
		}
	}
	switch {
	case a.Steps > 0 && len(a.Fanouts) > a.Steps:
		return refuse.Value("fanouts = %v: expected one per step, at most %d", a.Fanouts, a.Steps)
	case a.Width(1) > app.MaxWidth:
		return refuse.Value("fanouts = %v, %d steps: expected at most 2^28 vertices per sample", a.Fanouts, a.Steps)
	}
	return a.checkHooks()
}

// checkHooks returns an error if hooks contradict one another or the data.
func (a *StepProgram) checkHooks() error {
	switch {
	case a.Fanout != nil && a.Fanouts != nil:
		return refuse.Value("fanouts = %v: expected none, since the hook returns them", a.Fanouts)
	case a.Bound != nil && a.EdgeBias == nil:
		return refuse.Value("bound applies only to edge_bias: pass edge_bias too")
	case a.Next != nil && a.EdgeBias != nil:
		return refuse.Value("next and edge_bias: pass only one of them")
	case a.Next != nil && a.Unique != Repeats:
		return refuse.Value("next: it chooses the vertices itself, so they cannot be unique")
	case a.VertexBias != nil && !a.Single():
		return refuse.Value("vertex_bias: expected one pick per step, from one transit, and no unique vertices")
	case a.VertexBias != nil && a.Record == Adjacency:
		return refuse.Value("vertex_bias: a pool's transits are not the vertices of the previous step; record no adjacency")
	case a.Follows != nil && (a.EdgeBias == nil || !a.Single() || !a.fixed() || a.VertexBias != nil || a.Update != nil):
		return refuse.Value("follows: expected walks of a number of steps by edge_bias, without vertex_bias and update")
	case a.Scope == Collective && a.Weighted == app.Yes && a.static():
		return refuse.Value("weighted = True: weights of different rows have different units; a collective choice needs edge_bias")
	}
	return nil
}

// Tries returns the number of proposals of a walk's choice among d candidates under a bound, before one pass computes all
// biases. A tight bound accepts one of the first few. The share of d limits the cost of rejections under a loose bound to a
// fraction of that of the pass. The number is part of the reproducibility contract.
func Tries(d uint64) uint64 { return min(selector.MaxTries, LeastTries+d/TriesShare) }

// The parameters of Tries.
const (
	LeastTries = 4
	TriesShare = 16
)

// fixedPoint is the bias of a computed weight of 1.0.
const fixedPoint = 1 << 16

// FixedBias converts a computed weight to a bias in units of 2^-16, rounded down. A positive weight never becomes 0. NaN and
// negative weights become 0.
func FixedBias(weight float64) uint64 {
	if !(weight > 0) { // NaN too
		return 0
	}
	return max(1, uint64(min(float64(weight*fixedPoint), 1<<63)))
}
