package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// draw draws k of n numbers uniformly. Without replacement, it draws at most n.
func (m *builder) draw(key rng.Key, k, n uint64, replace bool) []uint64 {
	m.picks = buffer.Grow(m.picks[:0], int(k))[:k]
	if !replace {
		return m.picks[:selector.PermuteAt(key, k, n, 0, m.picks, &m.scratch)]
	}
	if n == 0 {
		return nil
	}
	for i := range m.picks {
		m.picks[i], _ = rng.Below(key.Word(uint64(i)), n)
	}
	return m.picks
}

// RandomNode returns a grower of the samples of an app.UniformDraws that draws vertices, with the induced edges if the app
// records links.
func RandomNode(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(app.UniformDraws)
	n, replace := a.Draws()
	var vertices []uint32
	return buildWith(p, g, func(m *builder, key rng.Key, _ []uint32) {
		vertices = vertices[:0]
		for _, v := range m.draw(app.DrawKey(key), uint64(n), uint64(g.NumVertices()), replace) {
			vertices = append(vertices, uint32(v))
		}
		m.addAll(vertices)
		m.endInduced(p)
	})
}

// RandomEdge returns a grower of the samples of an app.UniformDraws that draws edges. The vertices are their ends.
func RandomEdge(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	n, replace := p.App.(app.UniformDraws).Draws()
	return buildWith(p, g, func(m *builder, key rng.Key, _ []uint32) {
		for _, position := range m.draw(app.DrawKey(key), uint64(n), uint64(g.NumEdges()), replace) {
			source, target := m.visitEdge(position)
			m.row.Links = append(m.row.Links, app.Link{Source: source, Target: target, Position: position, Value: 1})
		}
		m.endStep()
	})
}

// visitEdge visits both ends of an edge, the source first, and returns their places.
func (m *builder) visitEdge(position uint64) (source, target int32) {
	source = m.visit(m.g.Source(position), graph.NoEdge, -1)
	return source, m.visit(m.g.Indices[position], position, source)
}
