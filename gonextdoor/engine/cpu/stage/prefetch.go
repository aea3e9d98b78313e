package stage

// Prefetch prefetches the records of vertices that the next Choose, Propose or Draw reads. Their rows may be in other parts, so
// it has no effect on a part.
func (t *Tables) Prefetch(vertices []uint32) {
	switch {
	case t.pure || t.part:
	case t.Records != nil:
		PrefetchRecords(t.Records, vertices)
	default:
		PrefetchRecords(t.Indptr, vertices)
	}
}

// prefetchChoices prefetches the chosen edges, or their alias slots.
func (t *Tables) prefetchChoices(positions []uint64) {
	switch {
	case t.pure:
	case t.Slots != nil:
		PrefetchSlots(t.Slots, positions)
	default:
		PrefetchIndices((*uint32)(t.Indices), positions)
	}
}

// PrefetchEdges prefetches the end points of edges.
func (t *Tables) PrefetchEdges(positions []uint64) {
	if !t.pure {
		PrefetchIndices((*uint32)(t.Indices), positions)
	}
}
