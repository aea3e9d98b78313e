package output

// Scores are the visit counts of personalised PageRank in compressed rows. Row i has the entries Offsets[i] to
// Offsets[i+1].
type Scores struct {
	Offsets  []int64
	Vertices []uint32
	Visits   []uint32 // of all walks of the row to the vertex
	Walks    []uint32 // walks of the row with at least one such visit
	Ends     []uint8  // 1 at a vertex at which walks end because it is a sink; nil: walks end at no vertex
	Total    []int64  // visits of all walks of each row, to all vertices
	FromHost bool     // the CPU counted them, because the device's memory is too small for the graph
}

// LendScores returns a result of that many rows and entries, lent from offheap.Results and not initialised. On an error
// nothing stays lent.
func LendScores(rows, entries int) (s Scores, err error) {
	defer func() {
		if err != nil {
			s.Return()
			s = Scores{}
		}
	}()
	if s.Offsets, err = lend[int64](rows + 1); err != nil {
		return s, err
	}
	if s.Total, err = lend[int64](rows); err != nil {
		return s, err
	}
	for _, column := range []*[]uint32{&s.Vertices, &s.Visits, &s.Walks} {
		if *column, err = lend[uint32](entries); err != nil {
			return s, err
		}
	}
	return s, nil
}

// JoinScores concatenates results without Ends. The result is lent, and the parts are returned, even after an error. The
// result of one part is that part.
func JoinScores(parts []Scores) (all Scores, err error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	rows, entries := 0, 0
	for _, part := range parts {
		defer part.Return()
		rows += len(part.Total)
		entries += len(part.Vertices)
	}
	if all, err = LendScores(rows, entries); err != nil {
		return all, err
	}
	row, at := 0, 0
	all.Offsets[0] = 0
	for _, part := range parts {
		copy(all.Total[row:], part.Total)
		for _, end := range part.Offsets[1:] {
			row++
			all.Offsets[row] = int64(at) + end
		}
		copy(all.Vertices[at:], part.Vertices)
		copy(all.Visits[at:], part.Visits)
		copy(all.Walks[at:], part.Walks)
		at += len(part.Vertices)
	}
	return all, nil
}

// LendEnds lends Ends, uninitialised.
func (s *Scores) LendEnds() (err error) {
	s.Ends, err = lend[uint8](len(s.Vertices))
	return err
}

// Return returns the memory of all arrays to offheap.Results. Return of Scores{} does nothing.
func (s Scores) Return() {
	returnSlice(s.Offsets)
	returnSlice(s.Vertices)
	returnSlice(s.Visits)
	returnSlice(s.Walks)
	returnSlice(s.Ends)
	returnSlice(s.Total)
}
