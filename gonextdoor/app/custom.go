package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// Custom is an app of the user's own: a StepProgram. Hooks may be any Go functions that depend on nothing but what they are
// given: they are called from several threads, and more often than the definition does. Or they are compiled elsewhere,
// and given by their addresses.
//
// What goes wrong inside a hook is a fault: the lowest of a run is its error, see package hook.
type Custom struct {
	StepProgram
	Kernels hook.Kernels `json:"kernels"`
	Params  []uint64     `json:"params"` // each an int64, or the bits of a float64
	Arrays  []hook.Array `json:"arrays"` // they outlive the app
	Reads   hook.Reads   `json:"reads"`  // of the kernels
	Strict  bool         `json:"strict"` // what Next and Update return must be a neighbour of the transit
	Hooks   hook.Names   `json:"hooks"`  // compiled or not yet: an app whose hooks are not is planned, and runs nowhere
	Image   hook.Image   `json:"image"`  // of the hooks, for a GPU

	given *StepProgram // of a bound app: the hooks as they were given
	state *hook.State  // of a bound app
}

// Program gives the app itself.
func (a *Custom) Program() *StepProgram { return &a.StepProgram }

// Name is "App".
func (a *Custom) Name() string { return "App" }

// Check refuses what no graph could make right.
func (a *Custom) Check() error {
	switch {
	case a.Kernels != hook.Kernels{} && !hook.Callable:
		return refuse.Value("kernels: this build calls no compiled hooks")
	case a.Kernels.EdgeBias != 0 != (a.Kernels.RowBias != 0):
		return refuse.Value("kernels: expected edge_bias and row_bias together")
	case len(a.Params) > hook.MaxParams:
		return refuse.Value("params: %d are given, expected %d at most", len(a.Params), hook.MaxParams)
	case len(a.Arrays) > hook.MaxArrays:
		return refuse.Value("arrays: %d are given, expected %d at most", len(a.Arrays), hook.MaxArrays)
	}
	b := a.with(nil)
	if b.Weighted == Yes && !b.static() {
		return refuse.Value("weighted = True: edge_bias and next have their own; expected \"auto\" or False")
	}
	return b.StepProgram.Check()
}

// Expect returns the whole sample if its number of steps and its fan-outs are known. A bias without a bound is computed
// for each edge of a row.
func (a *Custom) Expect(roots int, on Size) Expected {
	b := a.with(nil)
	if b.Steps == 0 || b.StepProgram.Fanout != nil {
		return same(math.Inf(1))
	}
	level, degree, e := float64(roots), on.Degree(), Expected{}
	for step := range b.Steps {
		rows := level
		switch f := b.FanoutAt(step); {
		case b.VertexBias != nil:
			rows, level = 1, 1
		case f == All:
			level *= degree
		case b.Scope == Collective:
			level = float64(f)
		default:
			level *= float64(f)
		}
		if b.Unique == PerSample && on.Vertices > 0 {
			level = min(level, float64(on.Vertices))
		}
		e.Vertices, e.Operations = e.Vertices+level, e.Operations+level
		if b.Bound != nil { // proposals, each of which is weighed
			e.Operations += 4 * level
		}
		if b.EdgeBias != nil && b.Bound == nil && on.Vertices > 0 {
			e.Operations += rows * degree
		}
		degree = on.Neighbor()
	}
	return e
}

// Width returns the vertices of a whole sample, as the app's hooks decide.
func (a *Custom) Width(roots int) int { return a.with(nil).StepProgram.Width(roots) }

// Layered reports whether samples of so many roots are layered, as the app's hooks decide.
func (a *Custom) Layered(roots int) bool { return a.with(nil).StepProgram.Layered(roots) }

// Weighs is true where the choices follow g's weights by alias tables.
func (a *Custom) Weighs(g *graph.Graph) bool { return a.with(nil).StepProgram.Weighs(g) }

// Tables are those that the hooks read, if they are compiled or will be.
func (a *Custom) Tables(g *graph.Graph) (tables []*index.Table) {
	if !g.Weighted() || !a.compiles() {
		return nil
	}
	for _, t := range []struct {
		reads hook.Reads
		table *index.Table
	}{
		{hook.Weights, index.RealWeightsTable}, {hook.Largest, index.LargestWeightsTable}, {hook.Prefix, index.PrefixWeightsTable},
	} {
		if a.Reads.Has(t.reads) {
			tables = append(tables, t.table)
		}
	}
	return tables
}

// ReadsEdgeSet reports whether the hooks look edges up. They do not use a set if whole rows are weighed, since searches for
// the ends of a row's edges stay in the cache.
func (a *Custom) ReadsEdgeSet() bool {
	b := a
	if a.state == nil { // not bound: hooks that are compiled are not in the StepProgram yet
		b = a.with(nil)
	}
	return b.compiles() && b.Reads.Has(hook.HasEdge) && (b.EdgeBias == nil || b.Bound != nil)
}

// compiles reports whether the hooks are compiled for the CPU, or have names by which they will be.
func (a *Custom) compiles() bool { return a.Kernels != (hook.Kernels{}) || len(a.Hooks) > 0 }

// Bind decides whether choices without an EdgeBias are weighted. Collective ones are not: rows have units of their own.
func (a *Custom) Bind(g *graph.Graph) (App, error) {
	state, err := hook.NewState(g, 0, a.tables(), graph.Options{})
	if err != nil {
		return nil, err
	}
	bound := a.with(state)
	bound.Weighted, err = bound.boundWeights(g)
	return bound, err
}

// boundWeights decides Auto for an app with hooks.
func (a *Custom) boundWeights(g *graph.Graph) (Weighted, error) {
	if !a.static() || a.Scope == Collective {
		return No, nil
	}
	return a.Weighted.bind(g)
}

// Begin gives a bound app for one run, whose first sample has the id first; work is what it announces to index.EdgeSetOf.
// Faults are the run's own.
func (a *Custom) Begin(g *graph.Graph, first uint64, work int, options graph.Options) (App, error) {
	state, err := hook.NewState(g, first, a.tables(), options)
	if err != nil {
		return nil, err
	}
	if a.tables() == 0 {
		return a.with(state), nil
	}
	if a.ReadsEdgeSet() {
		set, err := index.EdgeSetOf(g, work, options)
		if err != nil && refuse.KindOf(err) != refuse.KindMemory { // where there is no room for a set, rows are searched
			return nil, err
		}
		state.UseEdgeSet(set)
	}
	return a.with(state), nil
}

// tables are those of the graph that the hooks read on the CPU: a GPU has its own.
func (a *Custom) tables() hook.Reads {
	if a.Kernels == (hook.Kernels{}) {
		return 0
	}
	return a.Reads
}

// Fault is the lowest fault of a run, or nil.
func (a *Custom) Fault() error {
	if a.state == nil {
		return nil
	}
	return a.state.Err()
}

// with gives the app with hooks that note their faults.
func (a *Custom) with(state *hook.State) *Custom {
	b := *a
	b.state = state
	if state != nil {
		b.Faults = state
		copy(state.Run.Params[:], a.Params)
		copy(state.Run.Arrays[:], a.Arrays)
	}
	b.given = a.given
	if b.given == nil {
		hooks := a.StepProgram
		b.given = &hooks
	}
	b.EdgeBias, b.VertexBias, b.Bound = b.biasHooks()
	b.Next, b.Update = b.vertexHooks()
	b.Fanout, b.Stop = b.otherHooks()
	return &b
}

// Foreign says whether the app's hooks are listed by their names, none of them perhaps, as those are that can be compiled
// for a GPU: none is a Go function, or code for the processors without a name.
func (a *Custom) Foreign() bool {
	g := a.given
	if g == nil {
		g = &a.StepProgram
	}
	return a.Hooks != nil && g.EdgeBias == nil && g.VertexBias == nil && g.Bound == nil && g.Next == nil && g.Update == nil &&
		g.Fanout == nil && g.Stop == nil
}
