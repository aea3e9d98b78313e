package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/induced"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// builder grows one sample of distinct vertices after another, for one thread. It maps each vertex to its place in the
// sample by an array of the whole graph, which is zero between samples.
type builder struct {
	g       *graph.Graph
	rows    rowaccess.Rows
	places  []uint32 // by vertex: its place in the sample plus 1, or 0
	bits    []uint64 // by vertex: whether it has a place; set while links are collected, and small enough for a cache
	row     app.Row
	finder  induced.Finder
	picks   []uint64
	scratch selector.Scratch
}

// buildWith returns a grower that calls grow for every sample. It borrows the arrays of the whole graph from the graph. If
// there is no memory for them, or the graph has more than plan.MaxDenseIDs vertices, it calls the serial definition instead.
func buildWith(p plan.Plan, g *graph.Graph, grow func(m *builder, key rng.Key, roots []uint32)) (persample.Grow, error) {
	r, err := rowaccess.NewRows(g, p.Packed)
	if err != nil {
		return nil, err
	}
	m := &builder{g: g, rows: r}
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		if g.NumVertices() > plan.MaxDenseIDs {
			return p.App.Sample(g, key, roots, row)
		}
		lent, err := index.LendScratch(g)
		if err != nil {
			return p.App.Sample(g, key, roots, row)
		}
		m.places, m.bits, m.row = lent.Words, lent.Bits, row
		defer func() { // also if a refusal unwinds the stack
			for _, v := range m.row.Vertices {
				m.places[v], m.bits[v>>6] = 0, 0
			}
			index.ReturnScratch(g, lent)
			m.row = app.Row{}
		}()
		grow(m, key, roots)
		return m.row
	}, nil
}

// visit returns the place of v. A vertex that is not in the sample is appended: the edge at position led to it from the
// vertex at place parent (-1: none).
func (m *builder) visit(v uint32, position uint64, parent int32) int32 {
	place := m.places[v]
	if place == 0 {
		m.add(v, position, parent)
		place = uint32(len(m.row.Vertices))
		m.places[v] = place
	}
	return int32(place - 1)
}

// add appends a vertex to the sample.
func (m *builder) add(v uint32, position uint64, parent int32) {
	if r := &m.row; len(r.Vertices) == cap(r.Vertices) || len(r.Edges) == cap(r.Edges) || len(r.Parents) == cap(r.Parents) {
		*r = buffer.GrowRow(*r, 1)
	}
	m.row = m.row.Add(v, position)
	m.row.Parents = append(m.row.Parents, parent)
}

// addAll appends vertices that no edge led to. A vertex that occurs twice keeps its first place.
func (m *builder) addAll(vertices []uint32) {
	at, n := len(m.row.Vertices), len(vertices)
	m.row = buffer.GrowRow(m.row, n)
	for i, v := range vertices {
		m.row = m.row.Add(v, graph.NoEdge)
		m.row.Parents = append(m.row.Parents, -1)
		if m.places[v] == 0 {
			m.places[v] = uint32(at + i + 1)
		}
	}
}

// endStep ends the only step of a sample without roots. A step without vertices is omitted.
func (m *builder) endStep() {
	m.row.Ends = append(m.row.Ends, 0)
	if n := len(m.row.Vertices); n > 0 {
		m.row.Ends = append(m.row.Ends, int32(n))
	}
}

// endInduced ends the only step, and appends the edges between the vertices if the plan records links.
func (m *builder) endInduced(p plan.Plan) {
	if m.endStep(); p.Records {
		m.induce()
	}
}
