package apps

import "gonextdoor/gonextdoor/app"

// distinctSample is a sample with one step of distinct vertices, in the order of their first appearance.
type distinctSample struct {
	row    app.Row
	places map[uint32]int32
}

func newDistinctSample(row app.Row) distinctSample { return distinctSample{row, map[uint32]int32{}} }

// discover returns the place of v. If v is new it is appended, as reached by the edge at position from the place parent (-1
// for none).
func (s *distinctSample) discover(v uint32, position uint64, parent int32) int32 {
	place, known := s.places[v]
	if !known {
		place = int32(len(s.row.Vertices))
		s.places[v] = place
		s.row = s.row.Add(v, position)
		s.row.Parents = append(s.row.Parents, parent)
	}
	return place
}
