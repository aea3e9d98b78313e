package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
)

// walks has the walks of C-SAW and FlowWalker, and walks by computed biases.
func walks() (all []entry) {
	one := []int{1}
	for _, a := range []app.App{
		&apps.Walk{Bias: app.ByDegree, Length: 7},
		&apps.Walk{Bias: app.ByDegree, Length: 7, Computed: true},
		&apps.MetropolisHastings{Length: 9},
		&apps.MetropolisHastings{Length: 0},
		&apps.Node2Vec{P: 2, Q: 3, Length: 0},
		&apps.NonBacktracking{Length: 9},
		&apps.NonBacktracking{Length: 6, Weighted: app.No},
		&apps.NonBacktracking{Length: 0},
		&apps.Jump{Teleport: apps.Teleport{Length: 9, Probability: 0.2}},
		&apps.Jump{Teleport: apps.Teleport{Length: 4, Probability: 0, Weighted: app.No}},
		&apps.Restart{Teleport: apps.Teleport{Length: 9, Probability: 0.3}},
		&apps.Restart{Teleport: apps.Teleport{Length: 6, Probability: 0, Weighted: app.No}},
		&apps.Restart{Teleport: apps.Teleport{Length: 2, Probability: 1}},
		&apps.DeepWalk{Length: 8, Weighted: app.Computed},
		&apps.PPR{Stop: 0.2, Weighted: app.Computed},
		&apps.PPR{Stop: 0.1, MaxLength: 3, Weighted: app.Computed},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 7, Weighted: app.Computed},
		&apps.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 5, Weighted: app.Computed},
		&apps.MetaPath{Labels: []int32{0, 2, 1}, Length: 8},
		&apps.MetaPath{Labels: []int32{0, 1}, Length: 5, Weighted: app.No, Stop: 0.2},
		&apps.MetaPath{Labels: []int32{1, 7}, Length: 4},
		&apps.MetaPath{Labels: []int32{1}, Length: 0, Stop: 0.5},
		&apps.MetaPath{Labels: []int32{0, 2, 1, 1, 0, -4, 2, 1, 0, 2}, Length: 14, Weighted: app.No},
		&apps.TemporalWalk{Length: 8, Strict: true},
		&apps.TemporalWalk{Length: 6, Direction: apps.Backward},
		&apps.TemporalWalk{Length: 7, Bias: app.LinearInTime},
		&apps.TemporalWalk{Length: 5, Direction: apps.Backward, Bias: app.LinearInTime, Strict: true},
		&apps.TemporalWalk{Length: 6, Bias: app.ExponentialInTime, Strict: true},
		&apps.TemporalWalk{Length: 9, Direction: apps.Backward, Bias: app.ExponentialInTime, Scale: 3},
		&apps.TemporalWalk{Length: 0, Bias: app.ExponentialInTime, Scale: 1},
		&apps.TemporalWalk{Length: 6, Start: app.AllAt(-1), End: app.AllAt(5)},
		&apps.TemporalWalk{Length: 5, Bias: app.LinearInTime, Start: app.AllAt(1), Window: app.AllAt(2), Strict: true},
		&apps.TemporalWalk{Length: 5, Bias: app.ExponentialInTime, Scale: 2, Start: app.AllAt(-1), Window: app.AllAt(2), End: app.AllAt(6)},
		&apps.TemporalWalk{Length: 8, Direction: apps.Backward, Bias: app.ExponentialInTime, Start: app.AllAt(6), End: app.AllAt(-3)},
		&apps.TemporalWalk{Length: 4, Bias: app.ExponentialInTime, Scale: 900, Strict: true, End: app.AllAt(4)},
		&apps.Negatives{},
		&apps.Negatives{Loops: true, Ends: 1},
		&apps.Negatives{Candidates: &app.VertexList{Vertices: []uint32{0}}},
		&apps.Negatives{Hops: 2},
		&apps.Negatives{Hops: 3, Ends: 1},
	} {
		all = append(all, entry{a, one, ""})
	}
	return append(all,
		entry{&apps.NegativePairs{}, []int{0}, ""},
		entry{&apps.NegativePairs{Loops: true, Ends: 1}, []int{0}, ""},
		entry{&apps.MultiIndependent{Length: 5}, []int{1, 3}, ""},
		entry{&apps.MultiDimensionalWalk{Length: 12, Dimension: 5}, []int{1, 3, 40}, ""},
		entry{&apps.MultiDimensionalWalk{Length: 0, Dimension: 1}, one, ""},
	)
}

// suits reports whether a graph has what an app needs.
func suits(a app.App, g *graph.Graph) bool {
	weighted := app.Auto
	switch a := a.(type) {
	case *apps.NegativePairs:
		_, err := a.Bind(g)
		return err == nil // there is a negative
	case *apps.DeepWalk:
		weighted = a.Weighted
	case *apps.PPR:
		weighted = a.Weighted
	case *apps.Node2Vec:
		weighted = a.Weighted
	}
	return weighted != app.Computed || g.Weighted()
}
