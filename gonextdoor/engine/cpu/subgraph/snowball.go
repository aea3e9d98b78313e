package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Snowball makes the growers of app.Snowball: breadth-first, with all neighbours of a vertex or Fanout new ones.
func Snowball(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.Snowball)
	if a.Fanout == app.All {
		return buildWith(p, g, func(m *builder, _ rng.Key, roots []uint32) {
			m.expand(roots, a.Depth, func(_, _ int, place int32, first, degree uint64) { m.visitAll(place, first, degree) })
		})
	}
	return buildWith(p, g, func(m *builder, key rng.Key, roots []uint32) {
		m.expand(roots, a.Depth, func(step, t int, place int32, first, degree uint64) {
			m.visitSome(key.Stream(uint64(step)).Key(uint64(t)), uint64(a.Fanout), place, first, degree)
		})
	})
}
