package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
)

// subgraphs has the breadth-first apps, and those that draw vertices with the edges between them.
func subgraphs() (all []entry) {
	none, one, some := []int{0}, []int{1}, []int{1, 3}
	for _, a := range []struct {
		app    app.App
		widths []int
	}{
		{&apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByDegree}, some},
		{&apps.Neighbor{Fanouts: []int{3, 2, 2}, FrontierSize: 2, Bias: app.ByDegree}, some},
		{&apps.Neighbor{Fanouts: []int{2, 2}, FrontierSize: 1, Replace: true}, some},
		{&apps.Snowball{Depth: 2, Fanout: app.All}, some},
		{&apps.Snowball{Fanout: 1}, some},
		{&apps.Snowball{Depth: 3, Fanout: 4}, some},
		{&apps.ForestFire{Probability: 0.7}, some},
		{&apps.ForestFire{Probability: 1, Depth: 1}, one},
		{&apps.ForestFire{Depth: 3}, one},
		{&apps.RandomNode{N: 9, Induced: true}, none},
		{&apps.RandomNode{N: 9, Replace: true, Induced: true}, none},
		{&apps.RandomNode{N: 3}, none},
		{&apps.RandomNode{N: 400, Replace: true, Induced: true}, none},
		{&apps.RandomEdge{N: 17}, none},
		{&apps.RandomEdge{N: 9, Replace: true}, none},
		{&apps.RandomEdge{N: 2000}, none},
		{&apps.ClusterGCN{Clusters: &app.Clusters{Count: 40, Seed: 1}, PerSample: 2}, none},
		{&apps.GraphSAINT{Method: app.NodeMethod, Budget: 12}, none},
		{&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 8}, none},
		{&apps.GraphSAINT{Method: app.WalkMethod, Roots: 7, Length: 3}, none},
		{&apps.GraphSAINT{Method: app.WalkMethod, Roots: 150, Length: 2}, none},
		{&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 5, Budget: 30}, none},
	} {
		all = append(all, entry{app: a.app, widths: a.widths})
	}
	return all
}
