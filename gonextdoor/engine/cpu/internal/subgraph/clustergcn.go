package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// ClusterGCN returns a grower of the samples of an app.ClusterDraws: the union of the clusters drawn, and the induced edges.
func ClusterGCN(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(app.ClusterDraws)
	lists := a.Lists()
	n, replace := a.Draws()
	return buildWith(p, g, func(m *builder, key rng.Key, _ []uint32) {
		for _, c := range m.draw(app.DrawKey(key), uint64(n), uint64(lists.Count()), replace) {
			m.addAll(lists.Of(c))
		}
		m.endInduced(p)
	})
}
