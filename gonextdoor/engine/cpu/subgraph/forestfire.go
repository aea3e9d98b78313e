package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

func ForestFire(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.ForestFire)
	return placing(p, g, func(m *placed, key rng.Key, roots []uint32) {
		m.spread(roots, a.Depth, func(step, t int, place int32, first, degree uint64) {
			words := key.Stream(uint64(step)).Key(uint64(t))
			if k := a.Burns(words.Word, degree); k > 0 {
				m.take(words, uint64(k), place, first, degree)
			}
		})
	})
}
