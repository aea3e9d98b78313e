package walk_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// spokes returns a wheel in which few edges have a large bias, and few have label 1. Almost all tries fail, so rows longer
// than a group of walkers are weighed completely.
func spokes(rim int) *graph.Graph {
	var edges []graphtest.Edge
	for i := range uint32(rim) {
		bias := uint32(1 + i%3)
		if i%997 == 5 {
			bias = 1 << 30
		}
		edges = append(edges, graphtest.Edge{From: 0, To: i + 1, Bias: bias}, graphtest.Edge{From: i + 1, To: (i+1)%uint32(rim) + 1, Bias: 1 + i%7})
	}
	g := graphtest.Make(rim+1, true, graphtest.Both(edges))
	g.Labels = make([]int32, g.NumEdges())
	for i := range g.Labels {
		if i%701 == 3 {
			g.Labels[i] = 1
		}
	}
	return g
}

func TestComputedWeighsWholeRows(t *testing.T) {
	for _, rim := range []int{30, 2100} {
		g := spokes(rim)
		for _, a := range []app.App{
			&apps.DeepWalk{Length: 4, Weighted: app.Computed},
			&apps.Walk{Bias: app.ByDegree, Length: 4, Computed: true},
			&apps.PPR{Stop: 0.2, Weighted: app.Computed},
			&apps.Node2Vec{P: 2, Q: 0.5, Length: 4, Weighted: app.Computed},
			&apps.Node2Vec{P: 1e6, Q: 1, Length: 4, Weighted: app.Computed},
			&apps.Node2Vec{P: 1, Q: 1e-6, Length: 4, Weighted: app.Computed},
			&apps.MetaPath{Labels: []int32{0, 1}, Length: 4},
			&apps.MetaPath{Labels: []int32{1, 0}, Length: 4, Weighted: app.No, Stop: 0.1},
		} {
			t.Run(fmt.Sprintf("%d/%s%+v", rim, a.Name(), a), func(t *testing.T) { equalsSerial(t, a, g) })
		}
	}
}
