package subgraph

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
)

// induce appends a link for every edge between two vertices of the sample, in the order of the sources' places. It reads
// the rows of all vertices once.
func (m *builder) induce() {
	// 1. Set the bits of the vertices.
	for _, v := range m.row.Vertices {
		m.bits[v>>6] |= 1 << (v & 63)
	}
	// 2. In a pipeline over blocks of vertices: prefetch the records of block k+1 and the rows of block k, and collect the
	// links of block k-1.
	all := m.row.Vertices
	m.rows.Prefetch(all[:min(plan.RowsAhead, len(all))])
	for at := 0; at < len(all)+plan.RowsAhead && !m.row.Stopped(); at += plan.RowsAhead {
		if at < len(all) {
			end := min(at+plan.RowsAhead, len(all))
			m.rows.Prefetch(all[end:min(end+plan.RowsAhead, len(all))])
			m.prefetchRows(all[at:end])
		}
		for place := max(0, at-plan.RowsAhead); place < min(at, len(all)); place++ {
			if m.places[all[place]] == uint32(place+1) { // the first place of its vertex
				first, degree := m.rows.Of(all[place])
				m.addLinks(int32(place), first, m.g.Indices[first:first+degree])
			}
		}
	}
	// 3. Clear the bits.
	for _, v := range m.row.Vertices {
		m.bits[v>>6] = 0
	}
}

// prefetchRows prefetches the first cache lines of the rows of vertices. The CPU's stream prefetcher loads the rest of
// longer rows.
func (m *builder) prefetchRows(vertices []uint32) {
	const line, most = 16, 8
	m.picks = m.picks[:0]
	for _, v := range vertices {
		first, degree := m.rows.Of(v)
		for i := uint64(0); i < min(degree, line*most); i += line {
			m.picks = append(m.picks, first+i)
		}
	}
	stage.PrefetchIndices(unsafe.SliceData(m.g.Indices), m.picks)
}

// addLinks appends links for the edges of one row, at positions first and on, that lead to vertices of the sample.
func (m *builder) addLinks(source int32, first uint64, ends []uint32) {
	if len(m.hits) < len(ends)+stage.MarkedSlack {
		n := len(ends) + len(ends)/4 + 64
		m.hits = buffer.Grow(m.hits[:0], n)[:n]
	}
	n := stage.Marked(unsafe.SliceData(m.bits), ends, unsafe.SliceData(m.hits))
	at := len(m.row.Links)
	m.row.Links = buffer.Grow(m.row.Links, n)[:at+n]
	out := m.row.Links[at:]
	for i, hit := range m.hits[:n] {
		out[i] = app.Link{Source: source, Target: int32(m.places[ends[hit]] - 1), Position: first + uint64(hit), Value: 1}
	}
}
