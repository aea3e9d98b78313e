package program

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// Custom is an app defined by the caller: a StepProgram with hooks. A hook is either a Go function or compiled machine code,
// given by its address in Kernels. A Go hook must be a pure function of its arguments. It is called from several threads,
// and more often than by the serial definition.
//
// An error inside a hook is a fault. The first fault in the order of samples, steps and kinds is the error of the run; see
// package hook.
type Custom struct {
	StepProgram
	Kernels hook.Kernels `json:"kernels"`
	Params  []uint64     `json:"params"` // at most hook.MaxParams; each an int64, or the bits of a float64
	Arrays  []hook.Array `json:"arrays"` // at most hook.MaxArrays; the caller keeps them alive
	Reads   hook.Reads   `json:"reads"`  // what the kernels read
	Strict  bool         `json:"strict"` // whether Next and Update must return a neighbour of the transit
	Hooks   hook.Names   `json:"hooks"`  // compiled or not; an app with hooks that are not compiled can be planned, but not run
	Image   hook.Image   `json:"image"`  // the hooks compiled for a GPU

	// UniformWord is a number i if the only hook is a Next that returns None for a transit without an edge, and otherwise the
	// end point of edge Below(i, degree) of the transit.
	UniformWord *int `json:"uniform_word"`

	given *StepProgram // of a bound app: the hooks as the caller gave them
	state *hook.State  // of a bound app
}

// Program returns the step program of the app.
func (a *Custom) Program() *StepProgram { return &a.StepProgram }

// Name is "App".
func (a *Custom) Name() string { return "App" }

// Check returns an error if the parameters are invalid for every graph, or contradict one another.
func (a *Custom) Check() error {
	switch {
	case a.Kernels != hook.Kernels{} && !hook.Callable:
		return refuse.Value("kernels: this build of gonextdoor cannot call compiled hooks")
	case a.Kernels.EdgeBias != 0 != (a.Kernels.RowBias != 0):
		return refuse.Value("kernels: expected edge_bias and row_bias together")
	case len(a.Params) > hook.MaxParams:
		return refuse.Value("params has %d entries: expected at most %d", len(a.Params), hook.MaxParams)
	case len(a.Arrays) > hook.MaxArrays:
		return refuse.Value("arrays has %d entries: expected at most %d", len(a.Arrays), hook.MaxArrays)
	case a.UniformWord != nil && (*a.UniformWord < 0 || *a.UniformWord >= UserWords):
		return refuse.Value("uniform_word = %d: expected a number from 0 to below %d", *a.UniformWord, UserWords)
	}
	b := a.with(nil)
	if b.Weighted == app.Yes && !b.static() {
		return refuse.Value("weighted = True: edge_bias and next compute their own biases; expected \"auto\" or False")
	}
	return b.StepProgram.Check()
}

// grows reports whether samples are grown one at a time. Otherwise they are walkers.
func (a *StepProgram) grows(roots int) bool { return a.Lanes(roots) == 0 }

// Width returns the number of vertices of a whole sample, or 0 if the hooks make samples differ in length.
func (a *Custom) Width(roots int) int { return a.with(nil).StepProgram.Width(roots) }

// Layered reports whether samples of the given number of roots are layered, which depends on the hooks.
func (a *Custom) Layered(roots int) bool { return a.with(nil).StepProgram.Layered(roots) }

// Weighs reports whether the choices follow the weights of g by alias tables.
func (a *Custom) Weighs(g *graph.Graph) bool { return a.with(nil).StepProgram.Weighs(g) }

// Tables returns the rows in order of time, and the tables that compiled hooks read.
func (a *Custom) Tables(g *graph.Graph) (tables []*index.Table) {
	if a.Follows != nil {
		tables = append(tables, index.TemporalTable(*a.Follows))
	}
	if !g.Weighted() || !a.compiles() {
		return tables
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

// ReadsEdgeSet reports whether the hooks look up edges in the edge set. They search rows instead if complete rows are
// weighed, since consecutive searches then stay in the cache.
func (a *Custom) ReadsEdgeSet() bool {
	b := a
	if a.state == nil { // not bound: the StepProgram does not have the compiled hooks yet
		b = a.with(nil)
	}
	return b.compiles() && b.Reads.Has(hook.HasEdge) && (b.EdgeBias == nil || b.Bound != nil)
}

// View returns the graph, or that with rows in order of time if Follows is set, building these first if necessary.
func (a *Custom) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	if a.Follows == nil {
		return g, nil
	}
	if err := a.checkFollows(g); err != nil {
		return nil, err
	}
	return index.TemporalView(g, *a.Follows, options)
}

// ViewNow returns the view if it has been built, otherwise nil.
func (a *Custom) ViewNow(g *graph.Graph) *graph.Graph {
	if a.Follows == nil {
		return nil
	}
	return index.TemporalViewNow(g, *a.Follows)
}

// ViewsDegrees is false.
func (a *Custom) ViewsDegrees() bool { return false }

// checkFollows returns an error if g cannot have the rows of Follows.
func (a *Custom) checkFollows(g *graph.Graph) error {
	switch {
	case a.Follows == nil:
	case g.Times == nil:
		return refuse.Value("graph: the app follows the times of edges, and its edges have none; build it with times=")
	case g.MaxDegree() > index.MaxTemporalDegree:
		return refuse.Value("graph: a vertex has %d edges; walks in order of time expect at most 2^32 - 1", g.MaxDegree())
	}
	return nil
}

// compiles reports whether the hooks are compiled for the CPU, or will be.
func (a *Custom) compiles() bool { return a.Kernels != (hook.Kernels{}) || len(a.Hooks) > 0 }

// Bind resolves Weighted for choices without an EdgeBias. Collective choices are never weighted, since the biases of
// different rows have different units.
func (a *Custom) Bind(g *graph.Graph) (app.App, error) {
	if err := checkReads(a, g); err != nil {
		return nil, err
	}
	state, err := hook.NewState(g, 0, a.tables(), graph.Options{})
	if err != nil {
		return nil, err
	}
	bound := a.with(state)
	bound.Weighted, err = bound.boundWeights(g)
	return bound, err
}

// checkReads returns an error if the compiled hooks of an app read times or ids of edges that g lacks.
func checkReads(a *Custom, g *graph.Graph) error {
	if a.compiles() && a.Reads.Has(hook.EdgeIDs) {
		if err := g.RefuseEdgeIDs("a hook of the app, which reads ctx.edge_id(edge) or an array by edges,"); err != nil {
			return err
		}
	}
	if g.Times == nil && a.compiles() && a.Reads.Has(hook.Times) {
		return refuse.Value("graph: the hooks of the app read ctx.time(edge), and its edges have no times; build it with times=")
	}
	return nil
}

// boundWeights decides Auto for an app with hooks.
func (a *StepProgram) boundWeights(g *graph.Graph) (app.Weighted, error) {
	if !a.static() || a.Scope == Collective {
		return app.No, nil
	}
	return a.Weighted.Bind(g)
}

// Begin returns the bound app for one run, whose first sample has the id first. work is the number of look-ups that the run
// announces to index.EdgeSetOf. The faults of the run are separate from those of other runs.
func (a *Custom) Begin(g *graph.Graph, first uint64, work int, options graph.Options) (app.App, error) {
	state, err := hook.NewState(g, first, a.tables(), options)
	if err != nil {
		return nil, err
	}
	if a.tables() == 0 {
		return a.with(state), nil
	}
	if a.ReadsEdgeSet() {
		set, err := index.EdgeSetOf(g, work, options)
		if err != nil && refuse.KindOf(err) != refuse.KindMemory { // without memory for a set, rows are searched
			return nil, err
		}
		state.UseEdgeSet(set)
	}
	return a.with(state), nil
}

// tables returns the tables of the graph that the hooks read on the CPU. A GPU has separate ones.
func (a *Custom) tables() hook.Reads {
	if a.Kernels == (hook.Kernels{}) {
		return 0
	}
	return a.Reads
}

// Fault returns the first fault of a run in the order of samples, steps and kinds, or nil.
func (a *Custom) Fault() error {
	if a.state == nil {
		return nil
	}
	return a.state.Err()
}

// with returns a copy of the app whose hooks record their faults in state.
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
	h := hooksOf(&b)
	b.EdgeBias, b.VertexBias, b.Bound = h.biases()
	b.Next, b.Update = h.vertices()
	b.Fanout, b.Stop = h.others()
	return &b
}

// hooksOf returns the hooks of a bound app.
func hooksOf(a *Custom) *runHooks { return &runHooks{a.Kernels, a.Hooks, a.Strict, a.given, a.state} }

// Draft is Bind without tables; see app.Draft.
func (a *Custom) Draft(g *graph.Graph) (app.App, error) {
	if err := checkReads(a, g); err != nil {
		return nil, err
	}
	if err := a.checkFollows(g); err != nil {
		return nil, err
	}
	bound := a.with(nil)
	var err error
	bound.Weighted, err = bound.boundWeights(g)
	return bound, err
}

// Compiled has the compiled hooks of an app, for engines that call them for many choices at a time.
type Compiled struct {
	hook.Kernels
	State       *hook.State
	Reads       hook.Reads
	Strict      bool
	ValidVertex func(c *Ctx, v uint32) uint32 // checks a vertex that a hook returned, and notes a fault
}

// Compiled returns the compiled hooks of a bound app. The address of a missing one is 0.
func (a *Custom) Compiled() Compiled {
	return Compiled{a.Kernels, a.state, a.Reads, a.Strict, hooksOf(a).validVertex}
}

// UniformTry returns the try of the word by which each step chooses an edge uniformly at random, if a step does nothing else.
func (a *Custom) UniformTry() (try uint64, uniform bool) {
	if a.UniformWord == nil {
		return 0, false
	}
	return HookTry + uint64(*a.UniformWord), true
}

// ComputedOn is what app.ComputesOn returns.
func (a *Custom) ComputedOn(app.Size) bool {
	return a.EdgeBias != nil || a.Kernels.EdgeBias != 0 || a.Hooks.Has("edge_bias")
}
