package program

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// links appends the links of the sample, as Record requires, in the order of their sources and of the edges of each row.
func (s *partialSample) links() {
	switch s.Record {
	case Adjacency:
		for level := 1; level < len(s.row.Ends); level++ {
			first := int32(0)
			if level > 1 {
				first = s.row.Ends[level-2]
			}
			middle, end := s.row.Ends[level-1], s.row.Ends[level]
			places := map[uint32][]int32{}
			for p := middle; p < end; p++ {
				places[s.row.Vertices[p]] = append(places[s.row.Vertices[p]], p)
			}
			for source := first; source < middle && !s.row.Stopped(); source++ {
				s.link(source, places)
			}
		}
	case Induced:
		s.row = app.Induce(s.g, s.row)
	}
}

// link appends a link for every edge from a place to the given places of vertices.
func (s *partialSample) link(source int32, places map[uint32][]int32) {
	first, end := s.g.Row(s.row.Vertices[source])
	for position := first; position < end; position++ {
		for _, target := range places[s.g.Indices[position]] {
			s.row.Links = append(s.row.Links, app.Link{Source: source, Target: target, Position: position, Value: 1})
		}
	}
}

// Linked returns a complete sample with its links, as Record requires.
func (a *StepProgram) Linked(g *graph.Graph, row app.Row) app.Row {
	s := partialSample{StepProgram: a, g: g, row: row}
	s.links()
	return s.row
}
