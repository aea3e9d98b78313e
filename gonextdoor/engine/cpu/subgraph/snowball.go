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

func Snowball(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.Snowball)
	if a.Fanout == app.All {
		return placing(p, g, func(m *placed, _ rng.Key, roots []uint32) {
			m.spread(roots, a.Depth, func(_, _ int, place int32, first, degree uint64) { m.takeAll(place, first, degree) })
		})
	}
	return placing(p, g, func(m *placed, key rng.Key, roots []uint32) {
		m.spread(roots, a.Depth, func(step, t int, place int32, first, degree uint64) {
			m.take(key.Stream(uint64(step)).Key(uint64(t)), uint64(a.Fanout), place, first, degree)
		})
	})
}

// spread grows the sample from its roots, each vertex once: expand is asked about every transit of a step, numbered from
// 0, with its place and row, and meets what is new.
func (m *placed) spread(roots []uint32, depth int, expand func(step, t int, place int32, first, degree uint64)) {
	m.row.Vertices = append(buffer.Grow(m.row.Vertices, len(roots)), roots...)
	for i, v := range roots {
		m.stamps[v] = uint32(i + 1)
	}
	m.row.Ends = append(m.row.Ends, int32(len(roots)))
	at := 0
	for step := 0; depth == 0 || step < depth; step++ {
		end := len(m.row.Vertices)
		for first := at; first < end; first += plan.RowsAhead {
			last := min(first+plan.RowsAhead, end)
			m.rows.Prefetch(m.row.Vertices[last:min(last+plan.RowsAhead, end)])
			for place := first; place < last; place++ {
				start, degree := m.rows.Of(m.row.Vertices[place])
				expand(step, place-at, int32(place), start, degree)
			}
			if m.row.Stopped() {
				return
			}
		}
		if at = end; len(m.row.Vertices) == end {
			return
		}
		m.row.Ends = append(m.row.Ends, int32(len(m.row.Vertices)))
	}
}

// takeAll takes all edges that lead to new vertices.
func (m *placed) takeAll(place int32, first, degree uint64) {
	for i, v := range m.g.Indices[first : first+degree] {
		m.meet(v, first+uint64(i), place)
	}
}

// take takes k edges that lead to new vertices, by selector.Distinct.
func (m *placed) take(key rng.Key, k uint64, place int32, first, degree uint64) {
	if degree <= k {
		m.takeAll(place, first, degree)
		return
	}
	ends := m.g.Indices[first : first+degree]
	attempt, most := uint64(0), selector.AttemptsPerPick*k
	for ; attempt < most && k > 0; attempt++ {
		if i, _ := rng.Below(key.Word(attempt), degree); m.stamps[ends[i]] == 0 {
			m.meet(ends[i], first+i, place)
			k--
		}
	}
	for ; k > 0; attempt++ {
		i := selector.Scan(key.Word(attempt), len(ends), func(i int) uint64 {
			if m.stamps[ends[i]] == 0 {
				return 1
			}
			return 0
		})
		if i < 0 {
			return
		}
		m.meet(ends[i], first+uint64(i), place)
		k--
	}
}
