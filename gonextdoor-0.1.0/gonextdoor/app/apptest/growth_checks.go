package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// growthChecks returns the checks of step programs, each with its hooks and its exact distribution.
func growthChecks() (checks []Check) {
	for _, list := range [][]growthCase{walkerCases(), severalCases(), togetherCases(), layeredCases()} {
		for _, c := range list {
			checks = append(checks, c.check())
		}
	}
	return append(checks, wideProposals())
}

// growthCase is a step program, and the distribution of its samples from some roots.
type growthCase struct {
	name   string
	grows  program.StepProgram
	exact  growth
	pairs  bool
	corner bool // with extreme words at step 0
}

// grownDraws is the number of samples that a check draws. Each makes several choices of some microseconds.
const grownDraws = 20_000

func (c growthCase) check() Check {
	a := &program.Custom{StepProgram: c.grows}
	c.exact.layered = app.ShapeOf(a, len(c.exact.roots)).Layered
	c.exact.collective, c.exact.steps = c.grows.Scope == program.Collective, c.grows.Steps
	c.exact.replace, c.exact.unique, c.exact.record = c.grows.Replace, c.grows.Unique, c.grows.Record
	if c.exact.fanout == nil {
		c.exact.fanout = fans(append([]int{1}, c.grows.Fanouts...)[min(1, len(c.grows.Fanouts)):]...)
	}
	if c.exact.bias == nil {
		c.exact.bias = func(uint32, uint32, uint64) float64 { return 1 }
	}
	check := of(c.name, a, c.exact.g, c.exact.roots, c.exact.program)
	check.outcome, check.leaps, check.Draws = growthOf, true, min(check.Draws, grownDraws)
	if c.pairs {
		check = check.pairs(c.exact.program)
	}
	if c.corner {
		check = check.corners(0)
	}
	return check
}

// byWeight returns a bias as a hook and as a weight: a share of the edge's weight, and a quarter of it for the previous
// vertex.
func byWeight(c *program.Ctx, e uint64, dst uint32) uint64 {
	if dst == c.Prev {
		return uint64(c.Graph.Biases[e] >> 14)
	}
	return uint64(c.Graph.Biases[e] >> 12)
}

func exactByWeight(g *graph.Graph) func(prev, v uint32, e uint64) float64 {
	return func(prev, _ uint32, e uint64) float64 {
		if g.Indices[e] == prev {
			return float64(g.Biases[e] >> 14)
		}
		return float64(g.Biases[e] >> 12)
	}
}

// mostOf returns a bound of byWeight: tight, or loose by a factor.
func mostOf(g *graph.Graph, factor uint64) func(*program.Ctx) uint64 {
	most := uint64(1)
	for _, b := range g.Biases {
		most = max(most, uint64(b>>12))
	}
	return func(*program.Ctx) uint64 { return most * factor }
}

func always(bound uint64) func(*program.Ctx) uint64 {
	return func(*program.Ctx) uint64 { return bound }
}

func allAlike(*program.Ctx, uint64, uint32) uint64 { return 1 }

func oneToThree(_ *program.Ctx, e uint64, _ uint32) uint64 { return 1 + e%3 }

// turnOrGo is an Update that stays, jumps to any vertex, ends, or continues, each with probability 1/4.
func turnOrGo(c *program.Ctx, _ uint64, dst uint32) uint32 {
	switch c.Below(0, 4) {
	case 0:
		return c.Transit
	case 1:
		return uint32(c.Below(1, uint64(c.Graph.NumVertices())))
	case 2:
		return graph.None
	}
	return dst
}

func exactTurnOrGo(g *graph.Graph) func(s *script, v, dst uint32) uint32 {
	return func(s *script, v, dst uint32) uint32 {
		switch s.choose([]float64{1, 1, 1, 1}) {
		case 0:
			return v
		case 1:
			return uint32(s.choose(equally(g.NumVertices())))
		case 2:
			return graph.None
		}
		return dst
	}
}

func equally(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// tired is a Stop that ends a third of the transits after the first step, and all after the third.
func tired(c *program.Ctx) bool { return c.Step > 0 && (c.Step > 2 || c.Below(7, 3) == 0) }

func exactTired(s *script, _ uint32, step int) bool { return step > 0 && (step > 2 || s.flip(1.0/3)) }

// degreeOf is the VertexBias of a pool by degree.
func degreeOf(c *program.Ctx, v uint32) uint64 { return c.Graph.Degree(v) }

func walkerCases() []growthCase {
	thicket, diamond, oneWay, circle := graphtest.Thicket(true), graphtest.Diamond(true), graphtest.OneWay(true), graphtest.Circle(true)
	degree := func(g *graph.Graph) func(uint32) float64 {
		return func(v uint32) float64 { return float64(g.Degree(v)) }
	}
	from := func(g *graph.Graph, roots ...uint32) growth { return growth{g: g, roots: roots} }
	biased := func(g *graph.Graph, roots ...uint32) growth {
		return growth{g: g, roots: roots, bias: exactByWeight(g)}
	}
	pooled := biased(thicket, 0, 3, 3)
	pooled.pool = degree(thicket)
	induced := from(diamond, 4, 0)
	induced.pool, induced.update = degree(diamond), exactTurnOrGo(diamond)
	moving, stopping, jumping := from(diamond, 1), from(thicket, 0), from(oneWay, 0, 0)
	moving.update, stopping.stop = exactTurnOrGo(diamond), exactTired
	stopping.bias = func(_, _ uint32, e uint64) float64 { return float64(thicket.Biases[e]) }
	jumping.next = func(s *script, v uint32) uint32 { return uint32(s.choose(equally(int(v)+2))) - 1 }
	small := from(oneWay, 0)
	small.bias = func(_, _ uint32, e uint64) float64 { return float64(1 + e%3) }
	return []growthCase{
		{name: "reservoir of small biases", grows: program.StepProgram{Steps: 2, EdgeBias: oneToThree}, exact: small},
		{name: "reject of small biases", grows: program.StepProgram{Steps: 2, EdgeBias: oneToThree, Bound: always(3)}, exact: small},
		{name: "proposals that are all accepted", grows: program.StepProgram{Steps: 1, EdgeBias: allAlike, Bound: always(1)}, exact: from(thicket, 0), corner: true},
		{name: "reservoir one way", grows: program.StepProgram{Steps: 3, EdgeBias: byWeight}, exact: biased(oneWay, 0)},
		{name: "reservoir in the thicket, pairs", grows: program.StepProgram{Steps: 2, EdgeBias: byWeight}, exact: biased(thicket, 0), pairs: true},
		{name: "reservoir, extreme words", grows: program.StepProgram{Steps: 2, EdgeBias: byWeight}, exact: biased(thicket, 0), corner: true},
		{name: "reject one way", grows: program.StepProgram{Steps: 3, EdgeBias: byWeight, Bound: mostOf(oneWay, 1)}, exact: biased(oneWay, 0)},
		{name: "reject, extreme words", grows: program.StepProgram{Steps: 2, EdgeBias: byWeight, Bound: mostOf(oneWay, 1)}, exact: biased(oneWay, 0), corner: true},
		{name: "reject under a loose bound", grows: program.StepProgram{Steps: 3, EdgeBias: byWeight, Bound: mostOf(oneWay, 100)}, exact: biased(oneWay, 0)},
		{name: "stay, jump, end and go in the diamond", grows: program.StepProgram{Steps: 2, Weighted: app.No, Update: turnOrGo}, exact: moving},
		{name: "stopped in the thicket", grows: program.StepProgram{Weighted: app.Yes, Stop: tired}, exact: stopping},
		{name: "a pool in the thicket", grows: program.StepProgram{Steps: 3, VertexBias: degreeOf, EdgeBias: byWeight}, exact: pooled},
		{name: "a pool's induced subgraph", grows: program.StepProgram{Steps: 2, Weighted: app.No, VertexBias: degreeOf, Update: turnOrGo, Record: program.Induced}, exact: induced},
		{name: "three walkers one way", grows: program.StepProgram{Steps: 2, EdgeBias: byWeight}, exact: biased(oneWay, 0, 0, 3)},
		{name: "two walkers by rejection", grows: program.StepProgram{Steps: 2, EdgeBias: byWeight, Bound: mostOf(oneWay, 1)}, exact: biased(oneWay, 1, 1)},
		{name: "next, two picks each", grows: program.StepProgram{Steps: 2, Fanouts: []int{2, 1}, Next: func(c *program.Ctx) uint32 {
			return uint32(c.Below(3, uint64(c.Transit)+2)) - 1 // any vertex up to the transit, or none
		}}, exact: jumping},
		{name: "reservoir in a circle", grows: program.StepProgram{Steps: 3, EdgeBias: byWeight}, exact: growth{g: circle, roots: []uint32{0},
			bias: exactByWeight(circle)}},
	}
}

func severalCases() (cases []growthCase) {
	diamond, circle := graphtest.Diamond(true), graphtest.Circle(true)
	exact := growth{g: diamond, roots: []uint32{1}, bias: exactByWeight(diamond)}
	plain := growth{g: diamond, roots: []uint32{1, 2}}
	weights := plain
	weights.bias = func(_, _ uint32, e uint64) float64 { return float64(diamond.Biases[e]) }
	for _, replace := range []bool{false, true} {
		word := fmt.Sprintf(", replace %v", replace)
		g := program.StepProgram{Steps: 2, Fanouts: []int{2, 1}, Replace: replace, EdgeBias: byWeight}
		bounded := g
		bounded.Bound = mostOf(diamond, 1)
		cases = append(cases,
			growthCase{name: "several by their weights" + word, grows: g, exact: exact},
			growthCase{name: "several under a bound" + word, grows: bounded, exact: exact},
			growthCase{name: "several in a circle" + word, grows: program.StepProgram{Steps: 2, Fanouts: []int{1, 2}, Replace: replace, EdgeBias: byWeight},
				exact: growth{g: circle, roots: []uint32{0}, bias: exactByWeight(circle)}})
	}
	loose := program.StepProgram{Steps: 1, Fanouts: []int{2}, EdgeBias: byWeight, Bound: mostOf(diamond, 1000)}
	return append(cases,
		growthCase{name: "several under a loose bound", grows: loose, exact: exact},
		growthCase{name: "vertices once a step", grows: program.StepProgram{Steps: 1, Fanouts: []int{2}, Weighted: app.No, Unique: program.PerStep}, exact: plain},
		growthCase{name: "vertices once a step, weighted", grows: program.StepProgram{Steps: 2, Fanouts: []int{2, 1}, Unique: program.PerStep}, exact: weights.at(1)},
		growthCase{name: "self-avoiding walk", grows: program.StepProgram{Steps: 4, Weighted: app.No, Unique: program.PerSample}, exact: plain.at(1)},
		growthCase{name: "vertices once a sample, by a bias", grows: program.StepProgram{Steps: 2, Fanouts: []int{2}, Unique: program.PerSample, EdgeBias: byWeight},
			exact: exact},
	)
}

// at returns the case with other roots.
func (c growth) at(roots ...uint32) growth {
	c.roots = roots
	return c
}

func togetherCases() []growthCase {
	thicket, diamond := graphtest.Thicket(true), graphtest.Diamond(true)
	plain := growth{g: thicket, roots: []uint32{0, 2, 1}}
	biased := growth{g: diamond, roots: []uint32{4, 0, 3}, bias: exactByWeight(diamond)}
	stopping := plain
	stopping.stop = exactTired
	return []growthCase{
		{name: "together, without replacement", grows: program.StepProgram{Scope: program.Collective, Steps: 2, Fanouts: []int{2, 1}, Record: program.Adjacency}, exact: plain},
		{name: "together, with replacement", grows: program.StepProgram{Scope: program.Collective, Steps: 2, Fanouts: []int{2, 1}, Replace: true}, exact: plain},
		{name: "together, vertices once", grows: program.StepProgram{Scope: program.Collective, Steps: 2, Fanouts: []int{2}, Unique: program.PerStep}, exact: plain.at(0, 1)},
		{name: "together, by a bias", grows: program.StepProgram{Scope: program.Collective, Steps: 2, Fanouts: []int{2, 1}, EdgeBias: byWeight}, exact: biased},
		{name: "together, by a bias under a bound, vertices once a sample", grows: program.StepProgram{Scope: program.Collective, Steps: 1, Fanouts: []int{3},
			EdgeBias: byWeight, Bound: mostOf(diamond, 1), Unique: program.PerSample, Record: program.Adjacency}, exact: biased.at(3)},
		{name: "together, until stopped", grows: program.StepProgram{Scope: program.Collective, Fanouts: []int{2, 1}, Stop: tired}, exact: stopping.at(0)},
	}
}

func layeredCases() []growthCase {
	thicket, diamond := graphtest.Thicket(true), graphtest.Diamond(true)
	from := growth{g: thicket, roots: []uint32{0}}
	weights := from
	weights.bias = func(_, _ uint32, e uint64) float64 { return float64(thicket.Biases[e]) }
	burning := growth{g: diamond, roots: []uint32{4}}
	burning.fanout = func(s *script, _ int) int {
		switch {
		case s.flip(0.5):
			return 0
		case s.flip(0.5):
			return 1
		}
		return 2
	}
	pruned := growth{g: diamond, roots: []uint32{1}}
	pruned.update = func(_ *script, v, dst uint32) uint32 {
		if dst < v {
			return graph.None
		}
		return dst
	}
	return []growthCase{
		{name: "all, vertices once a sample, with their adjacency", grows: program.StepProgram{Fanouts: []int{app.All}, Weighted: app.No, Unique: program.PerSample, Record: program.Adjacency}, exact: from},
		{name: "all of positive weight, with their adjacency", grows: program.StepProgram{Steps: 2, Fanouts: []int{app.All}, Record: program.Adjacency}, exact: weights},
		{name: "a fire that draws its fan-out", grows: program.StepProgram{Weighted: app.No, Unique: program.PerSample, Record: program.Induced, Fanout: func(c *program.Ctx) int {
			return []int{0, 0, 1, 2}[c.Below(4, 4)]
		}}, exact: burning},
		{name: "a tree whose branches end", grows: program.StepProgram{Steps: 2, Fanouts: []int{2}, Weighted: app.No, Record: program.Induced, Update: func(c *program.Ctx, _ uint64, dst uint32) uint32 {
			if dst < c.Transit {
				return graph.None
			}
			return dst
		}}, exact: pruned},
	}
}

// wideProposals tests proposals in a large row. Its edges are distinguished by blocks only, to have few outcomes.
func wideProposals() Check {
	g := graphtest.Fan(40_000, false)
	c := wideRow("", g, 1000, false)
	bound, err := (&program.Custom{StepProgram: program.StepProgram{Steps: 1, EdgeBias: allAlike, Bound: always(1)}}).Bind(g)
	if err != nil {
		panic(err)
	}
	c.Name, c.App = "App proposals from a vertex of many edges", bound
	return c
}
