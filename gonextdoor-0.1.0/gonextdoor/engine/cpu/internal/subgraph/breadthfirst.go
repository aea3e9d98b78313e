package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// BreadthFirst returns a grower of the samples of an app.BreadthFirst: each level visits neighbours of the level before.
func BreadthFirst(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(app.BreadthFirst)
	depth := a.MaxDepth()
	if a.VisitsAll() { // no random words are needed
		return buildWith(p, g, func(m *builder, _ rng.Key, roots []uint32) {
			m.expand(roots, depth, func(_, _ int, place int32, first, degree uint64) { m.visitAll(place, first, degree) })
		})
	}
	return buildWith(p, g, func(m *builder, key rng.Key, roots []uint32) {
		m.expand(roots, depth, func(step, t int, place int32, first, degree uint64) {
			words := key.Stream(uint64(step)).Key(uint64(t))
			if k := a.NewNeighbors(words, degree); k > 0 {
				m.visitSome(words, k, place, first, degree)
			}
		})
	})
}
