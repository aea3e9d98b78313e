package gpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
)

// partCalls returns calls of all kernels of parts. In one of Node2Vec, all tries of most steps are rejected.
func partCalls(t *testing.T, g *graph.Graph) (all []call) {
	t.Helper()
	if g.Labels == nil {
		graphtest.Timed(graphtest.Labelled(g))
	}
	for i, a := range []app.App{
		&apps.DeepWalk{Length: 20, Weighted: app.No}, &apps.DeepWalk{Length: 9, Weighted: app.Yes},
		&apps.PPR{Stop: 0.1, Weighted: app.No}, &apps.PPR{Stop: 0.2, Weighted: app.Yes},
		&apps.Restart{Teleport: apps.Teleport{Length: 9, Probability: 0.3, Weighted: app.No}},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 8, Weighted: app.No}, &apps.Node2Vec{P: 2, Q: 0.5, Length: 8, Weighted: app.Yes},
		&apps.Node2Vec{P: 1 << 20, Q: 1 << 20, Length: 5, Weighted: app.No},
		&apps.NonBacktracking{Length: 9, Weighted: app.No}, &apps.NonBacktracking{Length: 7, Weighted: app.Yes},
		&apps.MultiIndependent{Length: 6, Weighted: app.No}, &apps.MultiIndependent{Length: 4, Weighted: app.Yes},
		&apps.TemporalWalk{Length: 8, Strict: true}, &apps.TemporalWalk{Length: 6, Direction: apps.Backward, Bias: app.LinearInTime},
		&apps.TemporalWalk{Length: 5, Bias: app.ExponentialInTime, Scale: 2}, &apps.MetropolisHastings{Length: 9},
		&apps.MultiDimensionalWalk{Length: 9, Dimension: 3}, &apps.MultiDimensionalWalk{Length: 8, Dimension: 30},
		&apps.MetaPath{Labels: []int32{0, 2, 1}, Length: 8, Weighted: app.No}, &apps.MetaPath{Labels: []int32{1, 0, 7}, Length: 6, Stop: 0.2},
		&apps.Node2Vec{P: 0.25, Q: 4, Length: 8, Weighted: app.No}, &apps.Node2Vec{P: 0.25, Q: 0.5, Length: 8, Weighted: app.Yes},
		&apps.Node2Vec{P: 1.0 / (1 << 20), Q: 2, Length: 6, Weighted: app.Yes},
		&apps.DeepWalk{Length: 7, Weighted: app.Computed}, &apps.PPR{Stop: 0.2, Weighted: app.Computed},
		&apps.Walk{Bias: app.ByDegree, Length: 6, Computed: true},
	} {
		width := 1
		switch a := a.(type) {
		case *apps.MultiIndependent:
			width = 3
		case *apps.MultiDimensionalWalk:
			width = a.Dimension
		}
		p, err := plan.New(a, g, width)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		c := call{plan: p, batch: plan.Batch{
			Roots: partRoots(g, width), Seed: uint64(i), First: 1 << 33, Threads: 2, Edges: i%2 == 1,
		}}
		if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// partRoots returns two samples of each vertex or, if they have several roots, one of all vertices.
func partRoots(g *graph.Graph, width int) plan.Roots {
	if width == 1 {
		return plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 2}
	}
	r := plan.Roots{Count: g.NumVertices() / width, Width: width, Repeat: 1}
	for i := range r.Count * width {
		r.Vertices = append(r.Vertices, uint32((i*7+i/5)%g.NumVertices()))
	}
	return r
}

// readsDegrees reports whether the degrees of all vertices are in GPU memory.
func readsDegrees(p plan.Plan) bool {
	switch p.Driver {
	case app.DriverMetropolis, app.DriverFrontier:
		return true
	case app.DriverComputed:
		return p.App.(app.Computing).ComputedBias().Kind == app.BiasDegree
	}
	return false
}

// largeParts reports whether parts have more than the end points of edges.
func largeParts(p plan.Plan) bool {
	switch a := p.App.(type) {
	case app.StaticWeights:
		return a.Weights() == app.Yes
	case app.TemporalWalker:
		return true
	}
	return false
}
