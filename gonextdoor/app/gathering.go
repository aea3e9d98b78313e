package app

import "gonextdoor/gonextdoor/graph"

// gathering is a sample whose only step is made of different vertices, in the order of their first appearance.
type gathering struct {
	row    Row
	places map[uint32]int32
}

func gather(row Row) gathering { return gathering{row, map[uint32]int32{}} }

// discover returns a vertex's place. One that is new was reached from a parent's place (-1: from none) by an edge.
func (s *gathering) discover(v uint32, position uint64, parent int32) int32 {
	place, known := s.places[v]
	if !known {
		place = int32(len(s.row.Vertices))
		s.places[v] = place
		s.row = s.row.Add(v, position)
		s.row.Parents = append(s.row.Parents, parent)
	}
	return place
}

// oneStep ends a row without roots behind its only step, if anything was chosen.
func (r Row) oneStep() Row {
	r.Ends = append(r.Ends, 0)
	if len(r.Vertices) > 0 {
		r.Ends = append(r.Ends, int32(len(r.Vertices)))
	}
	return r
}

// induce records every edge between two vertices of the row, from each place in the order of its row. A vertex that stands
// at several places has its edges at the first.
func induce(g *graph.Graph, row Row) Row {
	places := map[uint32]int32{}
	for p, v := range row.Vertices {
		if _, known := places[v]; !known {
			places[v] = int32(p)
		}
	}
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
