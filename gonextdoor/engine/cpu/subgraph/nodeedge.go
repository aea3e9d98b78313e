package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// draws makes k of n graph-wide draws, all alike.
func (m *placed) draws(key rng.Key, k, n uint64, replace bool) []uint64 {
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

func RandomNode(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.RandomNode)
	var vertices []uint32
	return placing(p, g, func(m *placed, key rng.Key, _ []uint32) {
		vertices = vertices[:0]
		for _, v := range m.draws(app.DrawKey(key), uint64(a.N), uint64(g.NumVertices()), a.Replace) {
			vertices = append(vertices, uint32(v))
		}
		m.points(vertices)
		if m.oneStep(); a.Induced {
			m.induce()
		}
	})
}

func RandomEdge(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.RandomEdge)
	return placing(p, g, func(m *placed, key rng.Key, _ []uint32) {
		for _, position := range m.draws(app.DrawKey(key), uint64(a.N), uint64(g.NumEdges()), a.Replace) {
			source, target := m.edge(position)
			m.row.Links = append(m.row.Links, app.Link{Source: source, Target: target, Position: position, Value: 1})
		}
		m.oneStep()
	})
}

// edge has both ends of an edge met, its source first, and gives their places.
func (m *placed) edge(position uint64) (source, target int32) {
	source = m.meet(m.g.Source(position), graph.NoEdge, -1)
	return source, m.meet(m.g.Indices[position], position, source)
}
