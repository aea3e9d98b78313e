package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// placed is what one worker needs to make samples of different vertices: where each vertex stands in the sample.
type placed struct {
	g       *graph.Graph
	rows    rows
	stamps  []uint32 // by vertex: its place plus 1, or 0
	bits    []uint64 // by vertex, while edges are looked for: whether it has a stamp. They lie in a cache where stamps do not
	row     app.Row
	hits    []uint32 // of one row: which edges lead to vertices of the sample
	picks   []uint64
	scratch selector.Scratch
}

// placing gives a grower that grow makes a sample in. Where there is no memory for marks, or a graph has more vertices
// than marks may cover, samples are made by the definition.
func placing(p plan.Plan, g *graph.Graph, grow func(m *placed, key rng.Key, roots []uint32)) (whole.Grow, error) {
	r, err := newRows(g, p.Packed)
	if err != nil {
		return nil, err
	}
	m := &placed{g: g, rows: r}
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		if g.NumVertices() > plan.MaxStamps {
			return p.App.Sample(g, key, roots, row)
		}
		lent, err := index.LendScratch(g)
		if err != nil {
			return p.App.Sample(g, key, roots, row)
		}
		m.stamps, m.bits, m.row = lent.Words, lent.Bits, row
		defer func() { // after a refusal too
			for _, v := range m.row.Vertices {
				m.stamps[v], m.bits[v>>6] = 0, 0
			}
			index.ReturnScratch(g, lent)
			m.row = app.Row{}
		}()
		grow(m, key, roots)
		return m.row
	}, nil
}

// meet gives a vertex's place. One that is new was reached from a parent's place (-1: from none) by an edge.
func (m *placed) meet(v uint32, position uint64, parent int32) int32 {
	place := m.stamps[v]
	if place == 0 {
		m.add(v, position, parent)
		place = uint32(len(m.row.Vertices))
		m.stamps[v] = place
	}
	return int32(place - 1)
}

// add appends a vertex.
func (m *placed) add(v uint32, position uint64, parent int32) {
	if r := &m.row; len(r.Vertices) == cap(r.Vertices) || len(r.Edges) == cap(r.Edges) || len(r.Parents) == cap(r.Parents) {
		*r = grownRow(*r, 1)
	}
	m.row = m.row.Add(v, position)
	m.row.Parents = append(m.row.Parents, parent)
}

// points appends vertices that no edge led to, which need not be new.
func (m *placed) points(vertices []uint32) {
	at, n := len(m.row.Vertices), len(vertices)
	m.row = grownRow(m.row, n)
	for i, v := range vertices {
		m.row = m.row.Add(v, graph.NoEdge)
		m.row.Parents = append(m.row.Parents, -1)
		if m.stamps[v] == 0 {
			m.stamps[v] = uint32(at + i + 1)
		}
	}
}

// oneStep ends a row without roots behind its only step, if anything was chosen.
func (m *placed) oneStep() {
	m.row.Ends = append(m.row.Ends, 0)
	if n := len(m.row.Vertices); n > 0 {
		m.row.Ends = append(m.row.Ends, int32(n))
	}
}

// induce records every edge between two vertices of the row.
func (m *placed) induce() {
	for _, v := range m.row.Vertices {
		m.bits[v>>6] |= 1 << (v & 63)
	}
	all := m.row.Vertices
	m.rows.prefetch(all[:min(plan.RowsAhead, len(all))])
	for at := 0; at < len(all)+plan.RowsAhead && !m.row.Stopped(); at += plan.RowsAhead {
		if at < len(all) { // the rows of a block are asked for, and the records of the next
			end := min(at+plan.RowsAhead, len(all))
			m.rows.prefetch(all[end:min(end+plan.RowsAhead, len(all))])
			m.ask(all[at:end])
		}
		for place := max(0, at-plan.RowsAhead); place < min(at, len(all)); place++ {
			if m.stamps[all[place]] == uint32(place+1) {
				first, degree := m.rows.of(all[place])
				m.links(int32(place), first, m.g.Indices[first:first+degree])
			}
		}
	}
	for _, v := range m.row.Vertices {
		m.bits[v>>6] = 0
	}
}

// ask asks for the rows of vertices, or where they begin: a longer row is met by the processor's own foresight.
func (m *placed) ask(vertices []uint32) {
	const line, most = 16, 8
	m.picks = m.picks[:0]
	for _, v := range vertices {
		first, degree := m.rows.of(v)
		for i := uint64(0); i < min(degree, line*most); i += line {
			m.picks = append(m.picks, first+i)
		}
	}
	stage.PrefetchIndices(unsafe.SliceData(m.g.Indices), m.picks)
}

// links records the edges of one row that lead to vertices of the sample.
func (m *placed) links(source int32, first uint64, ends []uint32) {
	if len(m.hits) < len(ends)+stage.MarkedSlack {
		n := len(ends) + len(ends)/4 + 64
		m.hits = grown(m.hits[:0], n)[:n]
	}
	n := stage.Marked(unsafe.SliceData(m.bits), ends, unsafe.SliceData(m.hits))
	at := len(m.row.Links)
	m.row.Links = grown(m.row.Links, n)[:at+n]
	out := m.row.Links[at:]
	for i, hit := range m.hits[:n] {
		out[i] = app.Link{Source: source, Target: int32(m.stamps[ends[hit]] - 1), Position: first + uint64(hit), Value: 1}
	}
}
