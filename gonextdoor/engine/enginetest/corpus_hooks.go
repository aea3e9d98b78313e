package enginetest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
)

// hooked has users' apps with every kind of hook, in Go and compiled.
func hooked() (entries []entry) {
	one, some := []int{1}, []int{1, 3}
	add := func(name string, widths []int, g program.StepProgram) {
		entries = append(entries, entry{app: &program.Custom{StepProgram: g}, widths: widths, name: "with hooks: " + name})
	}
	step := program.StepProgram{Steps: 7}
	with := func(change func(*program.StepProgram)) program.StepProgram {
		g := step
		change(&g)
		return g
	}
	add("none", one, step)
	add("unweighted", some, with(func(g *program.StepProgram) { g.Weighted = app.No }))
	add("next", some, with(func(g *program.StepProgram) { g.Next = next }))
	add("next, update and stop", some, with(func(g *program.StepProgram) { g.Next, g.Update, g.Stop = next, update, stop }))
	add("update", some, with(func(g *program.StepProgram) { g.Update = update }))
	add("bias", some, with(func(g *program.StepProgram) { g.EdgeBias = returns }))
	add("bound", some, with(func(g *program.StepProgram) { g.EdgeBias, g.Bound = returns, bound }))
	add("bound, update and stop", some, with(func(g *program.StepProgram) { g.EdgeBias, g.Bound, g.Update, g.Stop = returns, bound, update, stop }))
	add("later than the last edge", some, with(func(g *program.StepProgram) { g.EdgeBias = later }))
	add("later than the last edge, bound, update and stop", some, with(func(g *program.StepProgram) {
		g.EdgeBias, g.Bound, g.Update, g.Stop = later, mostLater, update, stop
	}))
	add("edges that may follow", some, with(func(g *program.StepProgram) {
		order := index.TemporalOrder{Strict: true}
		g.EdgeBias, g.Follows = mayFollow(order), &order
	}))
	add("edges that may follow, bound and stop", some, with(func(g *program.StepProgram) {
		order := index.TemporalOrder{Backward: true}
		g.EdgeBias, g.Bound, g.Stop, g.Follows = mayFollow(order), mostMayFollow, stop, &order
	}))
	add("next by the last edge", some, with(func(g *program.StepProgram) { g.Next, g.Update = nextByLast, update }))
	add("pool, later than the last edge", some, with(func(g *program.StepProgram) { g.VertexBias, g.EdgeBias = byDegree, later }))
	add("pool", some, with(func(g *program.StepProgram) { g.VertexBias = byDegree }))
	add("pool, bound, update and stop", some, with(func(g *program.StepProgram) {
		g.VertexBias, g.EdgeBias, g.Bound, g.Update, g.Stop = byDegree, returns, bound, update, stop
	}))
	add("until the end", one, program.StepProgram{Stop: stop, Update: update})
	add("until the end, by bias", one, program.StepProgram{EdgeBias: returns, Stop: stop})
	add("pool until the end", some, program.StepProgram{VertexBias: byDegree, Stop: stop, EdgeBias: returns})
	if hook.Callable {
		entries = append(entries, compiled()...)
	}
	return append(entries, levels()...)
}

const levelsName = "levels: "

// levels has apps whose transits make several picks, or choose together, or whose vertices are unique.
func levels() (entries []entry) {
	all := hooktest.Kernels()
	add := func(name string, g program.StepProgram, k hook.Kernels) {
		if k != (hook.Kernels{}) && !hook.Callable {
			return
		}
		a := &program.Custom{StepProgram: g, Kernels: k, Params: []uint64{3, 2, 1, 1}, Reads: hook.Everything}
		widths := []int{1 + len(entries)%2*2}
		entries = append(entries, entry{app: a, widths: widths, name: levelsName + name})
	}
	rows := hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias}
	bounded := hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias, Bound: all.Bound}
	every := hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias, Update: all.Update, Stop: all.Stop, Fanout: all.Fanout}
	for _, scope := range []program.Scope{program.Individual, program.Collective} {
		for _, unique := range []program.Unique{program.Repeats, program.PerStep, program.PerSample} {
			name := fmt.Sprintf("scope %d, unique %d, ", scope, unique)
			g := program.StepProgram{Steps: 2, Fanouts: []int{3, 2}, Scope: scope, Unique: unique}
			add(name+"static", g, hook.Kernels{})
			add(name+"rows", g, rows)
			add(name+"bound", g, bounded)
			g.Replace = true
			add(name+"replaced, static", g, hook.Kernels{})
			g.EdgeBias, g.Update = later, update
			add(name+"replaced, later than the last edge", g, hook.Kernels{})
			g.Bound = mostLater
			add(name+"replaced, later than the last edge, bound", g, hook.Kernels{})
			g.Bound = nil
			g.EdgeBias, g.Update, g.Stop, g.Fanouts = returns, update, stop, []int{4, 9}
			add(name+"replaced, Go rows", g, hook.Kernels{})
			g.Bound = bound
			add(name+"replaced, Go bound", g, hook.Kernels{})
			g.Replace, g.Fanouts = false, []int{2, app.All}
			add(name+"all", g, hook.Kernels{})
		}
		add("drawn, until the end", program.StepProgram{Scope: scope, Unique: program.PerSample}, every)
		add("next", program.StepProgram{Steps: 3, Scope: scope, Fanouts: []int{2}, Next: nextOf, Update: update, Stop: stop}, hook.Kernels{})
		add("adjacency", program.StepProgram{Steps: 2, Scope: scope, Fanouts: []int{2}, Record: program.Adjacency}, hook.Kernels{Update: all.Update})
		add("beyond 64 bits", program.StepProgram{Steps: 1, Scope: scope, Fanouts: []int{2}, EdgeBias: huge}, hook.Kernels{})
	}
	add("compiled next", program.StepProgram{Steps: 3, Fanouts: []int{2}}, hook.Kernels{Next: all.Next, Update: all.Update})
	add("walks, induced", program.StepProgram{Steps: 4, Record: program.Induced}, rows)
	add("walks until the end, induced", program.StepProgram{Record: program.Induced}, hook.Kernels{Stop: all.Stop, Next: all.Next})
	add("pool, induced", program.StepProgram{Steps: 4, Record: program.Induced}, hook.Kernels{VertexBias: all.VertexBias})
	add("everything until the end", program.StepProgram{Fanouts: []int{app.All}, Unique: program.PerSample, Record: program.Induced}, hook.Kernels{})
	return entries
}

// later is an EdgeBias that prefers edges later than the one by which the transit was reached.
func later(c *program.Ctx, edge uint64, _ uint32) uint64 {
	if c.PrevEdge != graph.NoEdge && c.Graph.Times[edge] <= c.Graph.Times[c.PrevEdge] {
		return 1
	}
	return 3
}

// mostLater is the Bound of later.
func mostLater(*program.Ctx) uint64 { return 3 }

// mayFollow returns an EdgeBias that is 0 for edges that may not follow the one by which the transit was reached.
func mayFollow(order index.TemporalOrder) func(*program.Ctx, uint64, uint32) uint64 {
	return func(c *program.Ctx, edge uint64, dst uint32) uint64 {
		if c.PrevEdge != graph.NoEdge && !order.Follows(c.Graph.Times[edge], c.Graph.Times[c.PrevEdge]) {
			return 0
		}
		return (edge + uint64(dst)) % 4
	}
}

// mostMayFollow is the Bound of mayFollow. It is so loose that some choices reject all proposals.
func mostMayFollow(*program.Ctx) uint64 { return 20 }

// nextByLast is a Next that depends on the edge by which the transit was reached.
func nextByLast(c *program.Ctx) uint32 {
	first, end := c.Graph.Row(c.Transit)
	if first == end {
		return graph.None
	}
	return c.Graph.Indices[first+(c.PrevEdge+c.Below(0, 3))%(end-first)]
}

// huge is an EdgeBias that faults: biases of users' apps have 32 bits.
func huge(_ *program.Ctx, edge uint64, _ uint32) uint64 { return 1 << 63 >> (edge % 33) }

// nextOf is next for samples whose transits may choose together.
func nextOf(c *program.Ctx) uint32 {
	if c.Transit == graph.None {
		return uint32(c.Below(1, uint64(c.Graph.NumVertices())))
	}
	return next(c)
}

// compiled has apps with the kernels of package hooktest.
func compiled() (entries []entry) {
	one, some := []int{1}, []int{1, 3}
	all := hooktest.Kernels()
	add := func(name string, widths []int, g program.StepProgram, k hook.Kernels) {
		entries = append(entries, entry{
			app:    &program.Custom{StepProgram: g, Kernels: k, Params: []uint64{3, 2, 1, 1}, Reads: hook.Everything},
			widths: widths, name: "compiled: " + name,
		})
	}
	step, free := program.StepProgram{Steps: 7}, program.StepProgram{}
	add("next", some, step, hook.Kernels{Next: all.Next})
	add("next, update and stop", some, step, hook.Kernels{Next: all.Next, Update: all.Update, Stop: all.Stop})
	add("update", some, step, hook.Kernels{Update: all.Update})
	add("bias", some, step, hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias})
	add("bound, update", some, step, hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias, Bound: all.Bound, Update: all.Update})
	add("pool", some, step, hook.Kernels{
		VertexBias: all.VertexBias, EdgeBias: all.EdgeBias, RowBias: all.RowBias, Update: all.Update, Stop: all.Stop,
	})
	add("next until the end", one, free, hook.Kernels{Next: all.Next, Stop: all.Stop})
	add("pool until the end", some, free, hook.Kernels{VertexBias: all.VertexBias, Update: all.Update, Stop: all.Stop})
	return entries
}

// returns is the bias of node2vec by searches of rows, with some zeros.
func returns(c *program.Ctx, edge uint64, dst uint32) uint64 {
	switch {
	case c.Prev == graph.None:
		return 4 + edge%3
	case dst == c.Prev:
		return 1
	case c.Graph.HasEdge(c.Prev, dst):
		return 8
	default:
		return edge % 4
	}
}

func bound(*program.Ctx) uint64 { return 8 }

func byDegree(c *program.Ctx, v uint32) uint64 { return c.Graph.Degree(v) + uint64(c.Step)%2 }

// next returns a neighbour by a word of the hook, or none.
func next(c *program.Ctx) uint32 {
	n := c.Graph.Degree(c.Transit)
	if n == 0 || c.Chance(1)%37 == 0 {
		return graph.None
	}
	return c.Graph.Neighbors(c.Transit)[c.Below(0, n)]
}

func stop(c *program.Ctx) bool { return c.Chance(2)%11 == 0 && c.Size() > 1 }

// update continues, returns to a root, stays, jumps back, or ends.
func update(c *program.Ctx, edge uint64, dst uint32) uint32 {
	switch c.Chance(3) % 16 {
	case 0:
		return c.Roots()[0]
	case 1:
		return c.Transit
	case 2:
		if last := c.Last(2); len(last) > 0 && last[0] != graph.None {
			return last[0]
		}
		return dst
	case 3:
		if edge%3 == 0 {
			return graph.None
		}
		return dst
	default:
		return dst
	}
}
