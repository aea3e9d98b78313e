package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
)

// sized has apps whose parameters depend on the graph: an array with an element per vertex, or weights that it must have.
func sized(g *graph.Graph) (all []entry) {
	n := g.NumVertices()
	scores, ids := make([]float64, n), make([]uint32, n)
	for v := range n {
		scores[v], ids[v] = float64(v*v%7), uint32(v*5%n/2) // some are 0; half of the clusters are empty
	}
	scores[n-1]++
	given, err := app.NewScores(scores)
	if err != nil {
		panic(err)
	}
	add := func(a app.App, name string, widths ...int) { all = append(all, entry{a, widths, name}) }
	add(&apps.MVS{Batch: 6, Fanouts: []int{2, app.All}, Scores: given}, "by scores", 0)
	add(&apps.MVS{Batch: 500, Scores: given}, "by scores, of all", 0)
	add(&apps.ClusterGCN{Clusters: &app.Clusters{IDs: ids}, PerSample: 3}, "of given clusters", 0)
	add(&apps.Negatives{Weights: given}, "by weight", 1)
	add(&apps.Negatives{Clusters: &app.Clusters{IDs: ids}}, "of the same cluster", 1)
	add(&apps.NegativePairs{Weights: given, SourceWeights: given}, "by weight", 0)
	if !g.Weighted() {
		return all
	}
	add(&apps.Walk{Bias: app.ByWeight, Length: 6}, "by weight", 1)
	add(&apps.Walk{Bias: app.ByWeight, Length: 6, Computed: true}, "by weight, computed", 1)
	add(&apps.MetaPath{Labels: []int32{2, 0}, Length: 6, Weighted: app.Yes, Stop: 0.1}, "weighted", 1)
	add(&apps.Layer{StepSize: 6, MaxSize: 20, Unique: true, Bias: app.ByWeight}, "by weight", 1, 3)
	add(&apps.Layer{StepSize: 9, MaxSize: 15, Bias: app.ByWeight}, "by weight, repeats", 3)
	add(&apps.Neighbor{Fanouts: []int{3, 2}, FrontierSize: 2, Bias: app.ByWeight}, "by weight", 1, 3)
	add(&apps.Neighbor{Fanouts: []int{2, 3}, FrontierSize: 3, Bias: app.ByWeight, Replace: true}, "by weight, with replacement", 3)
	return all
}
