package partition

import "gonextdoor/gonextdoor/engine/cpu/stage"

// lookups are searches for vertices in rows, each of which decides about the candidate of a walker.
type lookups struct {
	stage.RowSearches
	walkers []uint8 // by search
}

// add adds a search for a vertex in a row, given by its first position and its number of edges.
func (l *lookups) add(i uint8, first uint64, edges, target uint32) {
	l.Add(first, edges, target)
	l.walkers = append(l.walkers, i)
}

// clear removes all searches.
func (l *lookups) clear() {
	l.Clear()
	l.walkers = l.walkers[:0]
}

// size returns the number of searches.
func (l *lookups) size() int { return len(l.walkers) }
