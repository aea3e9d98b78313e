package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// walks has the walks of C-SAW and FlowWalker, and walks by computed biases.
func walks() (all []entry) {
	one := []int{1}
	for _, a := range []app.App{
		&app.Walk{Bias: app.ByDegree, Length: 7},
		&app.Walk{Bias: app.ByDegree, Length: 7, Computed: true},
		&app.MetropolisHastings{Length: 9},
		&app.MetropolisHastings{Length: 0},
		&app.Node2Vec{P: 2, Q: 3, Length: 0},
		&app.NonBacktracking{Length: 9},
		&app.NonBacktracking{Length: 6, Weighted: app.No},
		&app.NonBacktracking{Length: 0},
		&app.Jump{Teleport: app.Teleport{Length: 9, Probability: 0.2}},
		&app.Jump{Teleport: app.Teleport{Length: 4, Probability: 0, Weighted: app.No}},
		&app.Restart{Teleport: app.Teleport{Length: 9, Probability: 0.3}},
		&app.Restart{Teleport: app.Teleport{Length: 6, Probability: 0, Weighted: app.No}},
		&app.Restart{Teleport: app.Teleport{Length: 2, Probability: 1}},
		&app.DeepWalk{Length: 8, Weighted: app.Computed},
		&app.PPR{Stop: 0.2, Weighted: app.Computed},
		&app.PPR{Stop: 0.1, MaxLength: 3, Weighted: app.Computed},
		&app.Node2Vec{P: 2, Q: 0.5, Length: 7, Weighted: app.Computed},
		&app.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 5, Weighted: app.Computed},
		&app.MetaPath{Labels: []int32{0, 2, 1}, Length: 8},
		&app.MetaPath{Labels: []int32{0, 1}, Length: 5, Weighted: app.No, Stop: 0.2},
		&app.MetaPath{Labels: []int32{1, 7}, Length: 4},
		&app.MetaPath{Labels: []int32{1}, Length: 0, Stop: 0.5},
		&app.MetaPath{Labels: []int32{0, 2, 1, 1, 0, -4, 2, 1, 0, 2}, Length: 14, Weighted: app.No},
		&app.TemporalWalk{Length: 8, Strict: true},
		&app.TemporalWalk{Length: 6, Direction: app.Backward},
		&app.TemporalWalk{Length: 7, Bias: app.LinearInTime},
		&app.TemporalWalk{Length: 5, Direction: app.Backward, Bias: app.LinearInTime, Strict: true},
		&app.TemporalWalk{Length: 6, Bias: app.ExponentialInTime, Strict: true},
		&app.TemporalWalk{Length: 9, Direction: app.Backward, Bias: app.ExponentialInTime, Scale: 3},
		&app.TemporalWalk{Length: 0, Bias: app.ExponentialInTime, Scale: 1},
	} {
		all = append(all, entry{a, one, ""})
	}
	return append(all,
		entry{&app.MultiIndependent{Length: 5}, []int{1, 3}, ""},
		entry{&app.MultiDimensionalWalk{Length: 12, Dimension: 5}, []int{1, 3, 40}, ""},
		entry{&app.MultiDimensionalWalk{Length: 0, Dimension: 1}, one, ""},
	)
}

// suits reports whether a graph has what an app needs.
func suits(a app.App, g *graph.Graph) bool {
	weighted := app.Auto
	switch a := a.(type) {
	case *app.DeepWalk:
		weighted = a.Weighted
	case *app.PPR:
		weighted = a.Weighted
	case *app.Node2Vec:
		weighted = a.Weighted
	}
	return weighted != app.Computed || g.Weighted()
}
