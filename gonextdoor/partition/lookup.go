package partition

// lookup is a binary search for a vertex in a sorted row.
type lookup struct {
	low    uint64 // position of an edge; none of the row before it leads to the target
	target uint32
	left   uint32 // edges from low on that may lead to the target, at least 1
	walker uint8  // that waits for it
}

// lookupBlock is the number of searches that advance in lockstep.
const lookupBlock = 32

// searchRows completes several searches: low is then the last edge of a row whose end point is at most the target, or the first
// edge. They advance in lockstep, so that their cache misses overlap, and no branch depends on the end points.
func searchRows(indices []uint32, all []lookup) {
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
				half := l.left / 2 // 0 if the search is complete: then nothing changes
				var skipped uint32
				if indices[l.low+uint64(half)] <= l.target {
					skipped = half
				}
				l.low += uint64(skipped)
				l.left -= half
			}
		}
	}
}
