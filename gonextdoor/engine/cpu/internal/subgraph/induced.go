package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
)

// induce appends a link for every edge between two vertices of the sample, in the order of the sources' places. It reads
// the rows of all vertices once.
func (m *builder) induce() {
	for _, v := range m.row.Vertices {
		m.bits[v>>6] |= 1 << (v & 63)
	}
	m.finder.Find(m.g, &m.rows, m.bits, m.row.Vertices, m.row.Stopped, m.addLinks)
	for _, v := range m.row.Vertices {
		m.bits[v>>6] = 0
	}
}

// addLinks appends links for edges of the row of a place, which begins at position first: those at hits, to ends in the sample.
// The first place of a vertex has its links.
func (m *builder) addLinks(place int, first uint64, ends, hits []uint32) {
	if m.places[m.row.Vertices[place]] != uint32(place+1) {
		return
	}
	at := len(m.row.Links)
	m.row.Links = buffer.Grow(m.row.Links, len(hits))[:at+len(hits)]
	out := m.row.Links[at:]
	for i, hit := range hits {
		out[i] = app.Link{Source: int32(place), Target: int32(m.places[ends[i]] - 1), Position: first + uint64(hit), Value: 1}
	}
}
