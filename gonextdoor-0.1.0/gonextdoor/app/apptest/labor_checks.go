package apptest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// laborChecks returns the checks of LABOR: joint distributions of several vertices with common end points, of hops, and of
// relations with one source type.
func laborChecks() (checks []BatchCheck) {
	thicket, diamond := graph.Homogeneous(graphtest.Thicket(false)), graph.Homogeneous(graphtest.Diamond(false))
	library, shelf := graphtest.Library(false), graph.Homogeneous(shelf())
	for _, method := range []app.Method{app.MethodLabor, app.MethodLaborPoisson} {
		for _, s := range []batchShape{
			{"on the shelf", shelf, [][]uint32{{0, 1}}, eachOf([]int{2}), nil, nil, nil},
			{"on the shelf", shelf, [][]uint32{{0, 7, 1}}, eachOf([]int{1}), []uint64{1}, nil, nil},
			{"in the thicket", thicket, [][]uint32{{0, 1, 3}}, eachOf([]int{2}), nil, nil, nil},
			{"in the thicket", thicket, [][]uint32{{0}}, eachOf([]int{-1}), []uint64{1}, nil, nil},
			{"in the thicket", thicket, [][]uint32{{3, 0}}, eachOf([]int{3}), []uint64{0, 9}, nil, nil},
			{"in the diamond", diamond, [][]uint32{{3, 1}}, eachOf([]int{1}), []uint64{3}, nil, nil},
		} {
			checks = append(checks, s.check(app.NeighborSampling{Weighted: app.No, Method: method}))
		}
		for _, dependent := range []bool{false, true} {
			for _, expand := range []app.Expand{app.ExpandAll, app.ExpandNew} {
				a := app.NeighborSampling{Weighted: app.No, Method: method, LayerDependency: dependent, Expand: expand}
				for _, s := range []batchShape{
					{"in the thicket", thicket, [][]uint32{{1}}, eachOf([]int{1, 1}), nil, nil, nil},
					{"in the diamond", diamond, [][]uint32{{4}}, eachOf([]int{1, 2}), nil, nil, nil},
					{"in the library", library, [][]uint32{{1, 0}, {0}}, [][]int{{1, 1, 1}, {1, 0, 0}}, nil, nil, nil},
				} {
					checks = append(checks, s.check(a))
				}
			}
		}
	}
	star := graph.Homogeneous(graphtest.Star(5, true))
	for _, s := range []batchShape{
		{"on a star", star, [][]uint32{{0}}, eachOf([]int{1}), nil, nil, nil},
		{"on a star", star, [][]uint32{{0}}, eachOf([]int{3}), nil, nil, nil},
		{"on a star", star, [][]uint32{{0}}, eachOf([]int{2}), []uint64{1}, nil, nil},
		{"on a star", star, [][]uint32{{2}}, eachOf([]int{1, 2}), nil, nil, nil},
	} {
		checks = append(checks, s.check(app.NeighborSampling{Weighted: app.Yes, Method: app.MethodLabor}))
	}
	return checks
}

// shelf returns a graph in which 0 and 1 have the same five end points, and 7 has three of them.
func shelf() *graph.Graph {
	var edges []graphtest.Edge
	for v := uint32(2); v < 7; v++ {
		edges = append(edges, graphtest.Edge{From: 0, To: v}, graphtest.Edge{From: 1, To: v})
		if v%2 == 0 {
			edges = append(edges, graphtest.Edge{From: 7, To: v})
		}
	}
	return graphtest.Make(8, false, edges)
}
