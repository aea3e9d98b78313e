package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

func ClusterGCN(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.ClusterGCN)
	lists := a.Lists()
	return placing(p, g, func(m *placed, key rng.Key, _ []uint32) {
		for _, c := range m.draws(app.DrawKey(key), uint64(a.PerSample), uint64(lists.Count()), false) {
			m.points(lists.Of(c))
		}
		m.oneStep()
		m.induce()
	})
}
