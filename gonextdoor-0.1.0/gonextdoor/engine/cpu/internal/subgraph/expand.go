package subgraph

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// expand grows the sample level by level from its roots, at most depth levels (0: until nothing is new). Each vertex is
// expanded once: it calls each with the step, the number of the transit within the step, its place and its row; each visits
// the neighbours that it chooses.
func (m *builder) expand(roots []uint32, depth int, each func(step, t int, place int32, first, degree uint64)) {
	m.row.Vertices = append(buffer.Grow(m.row.Vertices, len(roots)), roots...)
	for i, v := range roots {
		m.places[v] = uint32(i + 1)
	}
	m.row.Ends = append(m.row.Ends, int32(len(roots)))
	// The transits of a step are the vertices that the step before added. Their records are prefetched a block ahead.
	at := 0
	for step := 0; depth == 0 || step < depth; step++ {
		end := len(m.row.Vertices)
		for first := at; first < end; first += plan.RowsAhead {
			last := min(first+plan.RowsAhead, end)
			m.rows.Prefetch(m.row.Vertices[last:min(last+plan.RowsAhead, end)])
			for place := first; place < last; place++ {
				start, degree := m.rows.Of(m.row.Vertices[place])
				each(step, place-at, int32(place), start, degree)
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

// visitAll visits the end of every edge of a row.
func (m *builder) visitAll(place int32, first, degree uint64) {
	for i, v := range m.g.Indices[first : first+degree] {
		m.visit(v, first+uint64(i), place)
	}
}

// visitSome visits the ends of k edges of a row that lead to new vertices, as selector.Distinct chooses them: by up to
// AttemptsPerPick*k attempts, then by scans over the edges that remain. If the row has at most k edges, it visits all.
func (m *builder) visitSome(key rng.Key, k uint64, place int32, first, degree uint64) {
	if degree <= k {
		m.visitAll(place, first, degree)
		return
	}
	// 1. Attempts: each draws an edge uniformly, and counts if its end is new.
	ends := m.g.Indices[first : first+degree]
	attempt, most := uint64(0), selector.AttemptsPerPick*k
	for ; attempt < most && k > 0; attempt++ {
		if i, _ := rng.Below(key.Word(attempt), degree); m.places[ends[i]] == 0 {
			m.visit(ends[i], first+i, place)
			k--
		}
	}
	// 2. Scans over the edges whose end is new.
	for ; k > 0; attempt++ {
		i := selector.Scan(key.Word(attempt), len(ends), func(i int) uint64 {
			if m.places[ends[i]] == 0 {
				return 1
			}
			return 0
		})
		if i < 0 {
			return
		}
		m.visit(ends[i], first+uint64(i), place)
		k--
	}
}
