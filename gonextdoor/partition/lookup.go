package partition

import "gonextdoor/gonextdoor/graph"

// lookup is a binary search for a vertex in a sorted row.
type lookup struct {
	row    []uint32 // not empty
	target uint32
	low    uint32 // no element before it is the target
	left   uint32 // elements from low on that may be the target, at least 1
	walker uint8  // that waits for it
}

// lookup returns the search of a row for a vertex.
func (r *rows) lookup(row, target uint32, walker uint8) lookup {
	l := lookup{row: r.indices[r.indptr[row]:r.indptr[row+1]], target: target, walker: walker}
	if len(l.row) == 0 {
		l.row = noEdges
	}
	l.left = uint32(len(l.row))
	return l
}

// noEdges is searched in place of a row without edges. No vertex has this number.
var noEdges = []uint32{graph.None}

// lookupBlock is the number of searches that advance in lockstep.
const lookupBlock = 32

// searchRows completes several searches. They advance in lockstep, so that their cache misses overlap, and no branch depends
// on the elements.
func searchRows(all []lookup) {
	for len(all) > 0 {
		block := all[:min(lookupBlock, len(all))]
		all = all[len(block):]
		longest := uint32(0)
		for i := range block {
			longest = max(longest, block[i].left)
		}
		for ; longest > 1; longest -= longest / 2 {
			for i := range block {
				l := &block[i]
				half := l.left / 2
				var skipped uint32
				if l.row[l.low+half] <= l.target { // after the last step of a shorter search half is 0, and nothing changes
					skipped = half
				}
				l.low += skipped
				l.left -= half
			}
		}
	}
}

// found reports whether the row has the target, after searchRows.
func (l *lookup) found() bool { return l.row[l.low] == l.target }
