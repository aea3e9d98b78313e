package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// ClusterGCN makes the growers of app.ClusterGCN: the union of clusters drawn without replacement, and the induced edges.
func ClusterGCN(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.ClusterGCN)
	lists := a.Lists()
	return buildWith(p, g, func(m *builder, key rng.Key, _ []uint32) {
		for _, c := range m.draw(app.DrawKey(key), uint64(a.PerSample), uint64(lists.Count()), false) {
			m.addAll(lists.Of(c))
		}
		m.endStep()
		m.induce()
	})
}
