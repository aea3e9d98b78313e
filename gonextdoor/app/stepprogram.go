package app

import (
	"fmt"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/selector"
)

// StepProgram is the one step that serves every app, as data and hooks: transits, candidates, bias, select, update. Apps that
// have no definition of their own are a StepProgram; so is what a user writes (Custom).
//
// At each step every transit (Individual), or all transits of the sample together (Collective), choose among the edges
// that lead on. What they choose is recorded; Update says where it leads; those vertices are the next transits.
//
// Hooks are asked in this order: VertexBias, Stop, Fanout, Bound, EdgeBias or Next, Update; Bound and EdgeBias only where
// there are candidates, none where there is no transit. A walk's biases are below 2^32.
type StepProgram struct {
	Scope    Scope    `json:"scope"`
	Steps    int      `json:"steps"`   // 0: until no transit is left
	Fanouts  []int    `json:"fanouts"` // picks at each step, the last number for all later steps; All: every candidate with a bias
	Replace  bool     `json:"replace"` // whether one candidate may be picked several times
	Unique   Unique   `json:"unique"`
	Record   Record   `json:"record"`
	Weighted Weighted `json:"weighted"` // bound to the graph: biases where there is no EdgeBias

	// Fanout stands in for Fanouts.
	Fanout func(c *Ctx) int `json:"-"`
	// EdgeBias gives a candidate's bias. Without it biases are the weights, where Weighted says so, or equal.
	EdgeBias func(c *Ctx, edge uint64, dst uint32) uint64 `json:"-"`
	// Bound is at least as large as any EdgeBias of the choice: candidates are then proposed and accepted.
	Bound func(c *Ctx) uint64 `json:"-"`
	// Next chooses by itself: a vertex, or graph.None. It needs no edge.
	Next func(c *Ctx) uint32 `json:"-"`
	// VertexBias draws the transit of each step from the pool of the sample's roots; what it leads to takes its place there.
	VertexBias func(c *Ctx, v uint32) uint64 `json:"-"`
	// Update gives the vertex to go on from, which is the one recorded: dst, c.Transit to stay, any other to jump. At
	// graph.None dst is recorded and nothing grows from it.
	Update func(c *Ctx, edge uint64, dst uint32) uint32 `json:"-"`
	// Stop ends a transit before its choice.
	Stop func(c *Ctx) bool `json:"-"`
	// Faults is told what a user's app does wrong; nil: the app is trusted.
	Faults Faults `json:"-"`
}

// Faults keeps the lowest fault of a run, in the order of samples, steps and kinds. The choice that has it goes on as if
// the hook had returned 0, or nothing.
type Faults interface {
	Note(sample uint64, step int, kind hook.Kind)
}

// All is the fan-out that takes every candidate.
const All = -1

// Scope says whose neighbours are a choice's candidates.
type Scope int

// The scopes.
const (
	Individual Scope = iota // one transit's
	Collective              // those of all the sample's transits, in the order of their slots
)

// Unique says which vertices a sample holds once.
type Unique int

// The values of Unique.
const (
	Repeats   Unique = iota // none
	PerStep                 // those of one step
	PerSample               // all, roots included
)

// Record says which edges a sample records beside those it took.
type Record int

// The values of Record.
const (
	Nothing   Record = iota
	Adjacency        // from each step's transits to the vertices of the next
	Induced          // between any two vertices of the sample
)

// single says whether each transit makes one pick, whatever the others pick: a walker.
func (a *StepProgram) single() bool {
	one := a.Scope == Individual && a.Unique == Repeats && a.Fanout == nil
	for _, f := range a.Fanouts {
		one = one && f == 1
	}
	return one
}

// walks says whether a sample is one walk: one choice a step, which hangs under the sample's own key.
func (a *StepProgram) walks(roots int) bool { return a.single() && (roots == 1 || a.VertexBias != nil) }

// fixed says whether every sample has the same number of slots.
func (a *StepProgram) fixed() bool {
	for _, f := range a.Fanouts {
		if f == All {
			return false
		}
	}
	return a.Steps > 0 && a.Fanout == nil && a.Record == Nothing
}

// Layered says whether samples of so many roots are layered: they are where their sizes differ, but for walks.
func (a *StepProgram) Layered(roots int) bool {
	return a.Record != Nothing || !a.fixed() && !a.walks(roots)
}

// Records says whether samples have links.
func (a *StepProgram) Records() bool { return a.Record != Nothing }

// FanoutAt gives the fan-out of a step, where it is no hook.
func (a *StepProgram) FanoutAt(step int) int {
	if len(a.Fanouts) == 0 {
		return 1
	}
	return a.Fanouts[min(step, len(a.Fanouts)-1)]
}

// static says whether biases are stored ones, or equal.
func (a *StepProgram) static() bool { return a.EdgeBias == nil && a.Next == nil }

// Width gives the vertices of a whole sample, or 0 where samples differ in length.
func (a *StepProgram) Width(roots int) int {
	if !a.fixed() {
		return 0
	}
	width, level := roots, roots
	if a.Scope == Collective || a.VertexBias != nil {
		level = 1
	}
	for step := range a.Steps {
		f := min(a.FanoutAt(step), maxWidth)
		if a.Scope == Collective {
			level = f
		} else {
			level *= f
		}
		if width += level; width > maxWidth {
			return maxWidth + 1
		}
	}
	return width
}

// Weighs is true where the choices follow g's weights by alias tables.
func (a *StepProgram) Weighs(g *graph.Graph) bool {
	return a.static() && a.Scope == Individual && a.Weighted.follows(g)
}

// Selector names the selector of the choices.
func (a *StepProgram) Selector() string {
	static, bound := staticSelector(a.Weighted), a.Bound != nil
	switch {
	case a.Next != nil:
		return "the app's own"
	case a.everything():
		return "All"
	case a.single() && a.static():
		return static
	case a.single() && bound:
		return fmt.Sprintf("Reject(%d+d/%d), Reservoir", LeastTries, TriesShare)
	case a.single():
		return "Reservoir"
	case bound:
		return "Distinct(Reject)"
	case a.static() && a.Unique != Repeats:
		return "Distinct(" + static + ")"
	case a.static():
		return fanoutSelector(a.Replace, a.Weighted)
	case a.Replace && a.Unique == Repeats:
		return "Scan"
	default:
		return "Deplete"
	}
}

// everything says whether every choice takes all candidates.
func (a *StepProgram) everything() bool {
	all := a.Fanout == nil && len(a.Fanouts) > 0
	for _, f := range a.Fanouts {
		all = all && f == All
	}
	return all
}

// Check refuses what no graph could make right.
func (a *StepProgram) Check() error {
	if err := checkLength("steps", a.Steps, 0); err != nil {
		return err
	}
	for i, f := range a.Fanouts {
		if f != All && (f < 1 || f > maxWidth) {
			return refuse.Value("fanouts[%d] = %d: expected from 1 to 2^28, or -1 for all", i, f)
		}
		if f == All && a.Next != nil {
			return refuse.Value("fanouts[%d] = -1: next makes as many picks as it is told; expected at least 1", i)
		}
	}
	switch {
	case a.Steps > 0 && len(a.Fanouts) > a.Steps:
		return refuse.Value("fanouts = %v: expected one a step, and %d at most", a.Fanouts, a.Steps)
	case a.Width(1) > maxWidth:
		return refuse.Value("fanouts = %v, %d steps: expected at most 2^28 vertices a sample", a.Fanouts, a.Steps)
	}
	return a.checkHooks()
}

// checkHooks refuses hooks that contradict each other, or the rest.
func (a *StepProgram) checkHooks() error {
	switch {
	case a.Fanout != nil && a.Fanouts != nil:
		return refuse.Value("fanouts = %v: expected none beside a hook that gives them", a.Fanouts)
	case a.Bound != nil && a.EdgeBias == nil:
		return refuse.Value("bound: needs edge_bias")
	case a.Next != nil && a.EdgeBias != nil:
		return refuse.Value("next and edge_bias: expected one of them")
	case a.Next != nil && a.Unique != Repeats:
		return refuse.Value("next: it chooses by itself, so its vertices cannot be unique")
	case a.VertexBias != nil && !a.single():
		return refuse.Value("vertex_bias: expected one pick a step, from one transit, and no unique vertices")
	case a.VertexBias != nil && a.Record == Adjacency:
		return refuse.Value("vertex_bias: a pool's transits are not the vertices of the step before; expected no adjacency")
	case a.Scope == Collective && a.Weighted == Yes && a.static():
		return refuse.Value("weighted = True: rows have units of their own; a collective choice needs edge_bias")
	}
	return nil
}

// Tries gives how often a walk's choice among d candidates is proposed under a bound before all are weighed in one pass.
// The share of d keeps the cost of a loose bound small beside the pass, whose tries would be in vain; a tight one is met
// within the first few. It is part of the law.
func Tries(d uint64) uint64 { return min(selector.MaxTries, LeastTries+d/TriesShare) }

// The parameters of Tries.
const (
	LeastTries = 4
	TriesShare = 16
)

// fixedPoint is how many units of a bias 1.0 is.
const fixedPoint = 1 << 16

// FixedBias turns a computed weight into a bias, in units of 2^-16, rounded down; a positive one never becomes 0, and what
// is no number, or negative, does.
func FixedBias(weight float64) uint64 {
	if !(weight > 0) { // NaN too
		return 0
	}
	return max(1, uint64(min(float64(weight*fixedPoint), 1<<63)))
}
