package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// ForestFire makes the growers of app.ForestFire: breadth-first, with a geometric number of new neighbours per vertex.
func ForestFire(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.ForestFire)
	return buildWith(p, g, func(m *builder, key rng.Key, roots []uint32) {
		m.expand(roots, a.Depth, func(step, t int, place int32, first, degree uint64) {
			words := key.Stream(uint64(step)).Key(uint64(t))
			if k := a.Burns(words.Word, degree); k > 0 {
				m.visitSome(words, uint64(k), place, first, degree)
			}
		})
	})
}
