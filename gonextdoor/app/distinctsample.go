package app

import "gonextdoor/gonextdoor/graph"

// distinctSample is a sample with one step of distinct vertices, in the order of their first appearance.
type distinctSample struct {
	row    Row
	places map[uint32]int32
}

func newDistinctSample(row Row) distinctSample { return distinctSample{row, map[uint32]int32{}} }

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

// oneStep ends a row without roots after its only step. An empty step is omitted.
func (r Row) oneStep() Row {
	r.Ends = append(r.Ends, 0)
	if len(r.Vertices) > 0 {
		r.Ends = append(r.Ends, int32(len(r.Vertices)))
	}
	return r
}

// induce appends a link for every edge between two vertices of the row, place by place, each in the order of its edges. A
// vertex that occurs at several places has its links at the first.
func induce(g *graph.Graph, row Row) Row {
	// 1. Find the first place of each vertex.
	places := map[uint32]int32{}
	for p, v := range row.Vertices {
		if _, known := places[v]; !known {
			places[v] = int32(p)
		}
	}
	// 2. Search the row of each vertex for end points in the sample.
	for p, v := range row.Vertices {
		if row.Stopped() {
			break
		}
		if places[v] != int32(p) {
			continue
		}
		first, end := g.Row(v)
		for position := first; position < end; position++ {
			if target, known := places[g.Indices[position]]; known {
				row.Links = append(row.Links, Link{int32(p), target, position, 1})
			}
		}
	}
	return row
}
