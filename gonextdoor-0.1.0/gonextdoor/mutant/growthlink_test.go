package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
)

// links appends the links of the sample.
func (s *grower) links() {
	first := int32(0)
	switch s.Record {
	case program.Adjacency:
		for level, middle := range s.row.Ends[:len(s.row.Ends)-1] {
			for source := first; source < middle; source++ {
				s.link(source, middle, s.row.Ends[level+1])
			}
			if !s.allBack {
				first = middle
			}
		}
	case program.Induced:
		for source := range s.row.Vertices {
			if slices.Index(s.row.Vertices, s.row.Vertices[source]) == source || s.allBack {
				s.link(int32(source), 0, int32(len(s.row.Vertices)))
			}
		}
	}
}

// link appends the edges from a place to places in [first, end).
func (s *grower) link(source, first, end int32) {
	begin, behind := s.g.Row(s.row.Vertices[source])
	for position := begin; position < behind; position++ {
		if s.oneParallel && position > begin && s.g.Indices[position] == s.g.Indices[position-1] {
			continue
		}
		for target := first; target < end; target++ {
			if s.row.Vertices[target] != s.g.Indices[position] {
				continue
			}
			l := app.Link{Source: source, Target: target, Position: position, Value: 1}
			if s.reversed {
				l.Source, l.Target = target, source
			}
			s.row.Links = append(s.row.Links, l)
			if s.firstOnly || s.Record == program.Induced {
				break
			}
		}
	}
}
