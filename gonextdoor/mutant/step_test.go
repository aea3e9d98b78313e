package mutant

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// oneStepBy returns mutants of the built-in apps with these names that are step programs.
func oneStepBy(f growthFault, names ...string) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		for _, name := range names {
			if grows := growthOf(a); grows != nil && a.Name() == name {
				return growBy(f)(&program.Custom{StepProgram: *grows})
			}
		}
		return nil
	}
}

// computedWalks has the apps that can compute their biases.
var computedWalks = []string{"DeepWalk", "Node2Vec"}

// growthOf returns the step program of a built-in app, or nil.
func growthOf(a app.App) *program.StepProgram {
	weight := func(c *program.Ctx, edge uint64, _ uint32) uint64 { return uint64(c.Graph.Biases[edge]) }
	most := func(*program.Ctx) uint64 { return app.WeightBound }
	switch a := a.(type) {
	case *apps.Snowball:
		return a.Program()
	case *apps.ForestFire:
		return a.Program()
	case *apps.Layer:
		return a.Program()
	case *apps.DeepWalk:
		if !a.Computes() {
			return nil
		}
		return &program.StepProgram{Steps: a.Length, EdgeBias: func(c *program.Ctx, _ uint64, dst uint32) uint64 { return c.Graph.Degree(dst) },
			Bound: func(c *program.Ctx) uint64 { return app.LargestDegree(c.Graph) }}
	case *apps.Node2Vec:
		if !a.Computes() {
			return nil
		}
		order := a.SecondOrder()
		return &program.StepProgram{Steps: a.Length, Bound: most, EdgeBias: func(c *program.Ctx, edge uint64, dst uint32) uint64 {
			bias := weight(c, edge, dst)
			if c.Prev != graph.None {
				bias = app.Product(bias, order.Of(c.Graph, c.Prev, dst))
			}
			return bias
		}}
	}
	return nil
}

// weighs replaces the bias of edges. The replacement may call the correct one.
func weighs(bias func(right func(*program.Ctx, uint64, uint32) uint64, c *program.Ctx, edge uint64, dst uint32) uint64) growthFault {
	return edited(func(a *program.StepProgram) {
		right := a.EdgeBias
		a.EdgeBias = func(c *program.Ctx, edge uint64, dst uint32) uint64 { return bias(right, c, edge, dst) }
	})
}

// fansOut replaces the fan-out by a function of the correct one.
func fansOut(fanout func(c *program.Ctx, right int) int) growthFault {
	return edited(func(a *program.StepProgram) {
		right := a.Fanout
		a.Fanout = func(c *program.Ctx) int { return fanout(c, right(c)) }
	})
}

// burnt returns the number of neighbours that a vertex burns by the words of the hook.
func burnt(c *program.Ctx, p float64, from int) int {
	k, threshold := from, uint64(math.RoundToEven(p*(1<<32)))
	for k < int(c.Graph.Degree(c.Transit)) && c.Chance(k) < threshold {
		k++
	}
	return k
}

// fireBy returns a forest fire with another rule, which gets the probability.
func fireBy(burns func(c *program.Ctx, p float64) int) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		fire, ok := a.(*apps.ForestFire)
		if !ok {
			return nil
		}
		return oneStepBy(fansOut(func(c *program.Ctx, _ int) int { return burns(c, fire.Probability) }), "ForestFire")(a)
	}
}

// ownUnits has the weights as they are stored, each in the unit of its row.
func ownUnits(right func(*program.Ctx, uint64, uint32) uint64, c *program.Ctx, edge uint64, dst uint32) uint64 {
	if c.Graph.Weighted() {
		return uint64(c.Graph.Biases[edge])
	}
	return right(c, edge, dst)
}

func withBias(f growthFault) growthFault {
	edit := f.edit
	f.edit = func(a *program.StepProgram) {
		if a.EdgeBias != nil {
			edit(a)
		}
	}
	return f
}

// firstOfAll takes the first candidate with a bias.
func firstOfAll(_ rng.Key, weights []uint64) int {
	return slices.IndexFunc(weights, func(w uint64) bool { return w > 0 })
}

// oneStepMutants has the faults of the apps that are step programs.
func oneStepMutants() (all []mutant) {
	add := func(name, source string, of func(app.App) apptest.Sampler) {
		all = append(all, mutant{name, source, of})
	}
	walks := func(name, source string, f growthFault) { add(name, source, oneStepBy(f, computedWalks...)) }
	walks("Computed: bound ignored: any proposal with a bias accepted", published, growthFault{keep: true})
	walks("Computed: walk ends if all tries are rejected", likely, growthFault{giveUp: true})
	walks("Computed: scan after the tries takes its first candidate", likely, growthFault{reservoir: firstOfAll})
	walks("Computed: degree or weight read from the transit's first edge", likely, weighs(func(right func(*program.Ctx, uint64, uint32) uint64, c *program.Ctx, _ uint64, _ uint32) uint64 {
		first, _ := c.Graph.Row(c.Transit)
		return right(c, first, c.Graph.Indices[first])
	}))
	add("Computed: previous vertex of Node2Vec missing", likely, oneStepBy(growthFault{prevIsSelf: true}, "Node2Vec"))
	walks("Computed: bound too small", likely, edited(func(a *program.StepProgram) {
		right := a.Bound
		a.Bound = func(c *program.Ctx) uint64 { return (right(c) + 3) / 4 }
	}))
	add("Snowball: vertices unique only within a step", likely, oneStepBy(edited(uniqueAs(program.PerSample, program.PerStep)), "Snowball"))
	add("Snowball: vertices may repeat", likely, oneStepBy(edited(uniqueAs(program.PerSample, program.Repeats)), "Snowball"))
	add("Snowball: roots may repeat", likely, oneStepBy(growthFault{rootsFree: true}, "Snowball"))
	add("Snowball: repeated draws not redrawn", likely, oneStepBy(growthFault{several: severalOnce}, "Snowball"))
	add("Snowball: all neighbours added at every step", likely, oneStepBy(fansOut(func(c *program.Ctx, _ int) int { return int(c.Graph.Degree(c.Transit)) }), "Snowball"))
	add("ForestFire: 1 - p instead of p", likely, fireBy(func(c *program.Ctx, p float64) int { return burnt(c, 1-p, 0) }))
	add("ForestFire: p as the mean of the geometric distribution", likely, fireBy(func(c *program.Ctx, p float64) int { return burnt(c, p/(1+p), 0) }))
	add("ForestFire: at least one neighbour burns", likely, fireBy(func(c *program.Ctx, p float64) int { return burnt(c, p, 1) }))
	add("ForestFire: each edge burns with probability p (binomial)", likely, fireBy(func(c *program.Ctx, p float64) int {
		k := 0
		for e := range c.Graph.Degree(c.Transit) {
			if c.Chance(int(e)) < uint64(math.RoundToEven(p*(1<<32))) {
				k++
			}
		}
		return k
	}))
	add("ForestFire: burned vertices burn again", likely, oneStepBy(edited(uniqueAs(program.PerSample, program.Repeats)), "ForestFire"))
	add("ForestFire: same random word for all decisions", csaw, fireBy(func(c *program.Ctx, p float64) int {
		if c.Chance(0) < uint64(math.RoundToEven(p*(1<<32))) {
			return int(c.Graph.Degree(c.Transit))
		}
		return 0
	}))
	return append(append(all, pathMutants...), grownLayerMutants()...)
}

// grownLayerMutants has the faults of Layer.
func grownLayerMutants() (all []mutant) {
	add := func(name, source string, of func(app.App) apptest.Sampler) {
		all = append(all, mutant{name, source, of})
	}
	add("Layer: duplicate vertices within a step", likely, oneStepBy(edited(uniqueAs(program.PerStep, program.Repeats)), "Layer"))
	add("Layer: vertices unique within the sample", likely, oneStepBy(edited(uniqueAs(program.PerStep, program.PerSample)), "Layer"))
	add("Layer: draws a transit, then one of its edges", likely, oneStepBy(growthFault{transitFirst: true}, "Layer"))
	add("Layer: bipartite region search as printed", csaw, oneStepBy(growthFault{several: severalRegions}, "Layer"))
	add("Layer: repeated picks kept", published, oneStepBy(growthFault{several: severalKept}, "Layer"))
	add("Layer: drawn with replacement", likely, oneStepBy(edited(func(a *program.StepProgram) { a.Replace = true }), "Layer"))
	add("Layer: size of the last step not reduced", likely, oneStepBy(edited(func(a *program.StepProgram) {
		right := a.Fanout
		a.Fanout = func(c *program.Ctx) int {
			if k := right(c); k < 1 {
				return k
			}
			return 2
		}
	}), "Layer"))
	add("Layer: bias ignored", likely, oneStepBy(withBias(weighs(func(func(*program.Ctx, uint64, uint32) uint64, *program.Ctx, uint64, uint32) uint64 { return 1 })), "Layer"))
	add("Layer: weights of rows in different units", likely, oneStepBy(withBias(weighs(ownUnits)), "Layer"))
	add("Layer: degree of the transit instead of the candidate", likely, oneStepBy(withBias(weighs(func(right func(*program.Ctx, uint64, uint32) uint64, c *program.Ctx, edge uint64, dst uint32) uint64 {
		if c.Graph.Weighted() {
			return right(c, edge, dst)
		}
		return c.Graph.Degree(c.Transit)
	})), "Layer"))
	return all
}
