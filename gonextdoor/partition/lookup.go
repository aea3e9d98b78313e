package partition

// lookup is a binary search for a vertex in a sorted row.
type lookup struct {
	row    []uint32
	target uint32
	low    int // elements before it are below the target
	left   int // elements from low on that may be below the target
	walker int
}

// searchRows completes several searches. They advance in lockstep, so that their cache misses overlap, and no branch depends
// on the elements.
func searchRows(all []lookup) {
	for open := true; open; {
		open = false
		for i := range all {
			l := &all[i]
			if l.left == 0 {
				continue
			}
			half := (l.left + 1) / 2
			var skipped int
			if l.row[l.low+half-1] < l.target {
				skipped = half
			}
			l.low += skipped
			l.left -= half
			open = true
		}
	}
}

// found reports whether the row has the target, after searchRows.
func (l *lookup) found() bool { return l.low < len(l.row) && l.row[l.low] == l.target }
