package graph

import (
	"slices"
	"sync"

	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// maxRetiredIDs is the largest number of ids that a saved graph may have given after the largest of its edges. Sets of ids have
// a bit per id, so a damaged record must not make them immense.
const maxRetiredIDs = 1 << 40

// EdgeIDsEnd returns one more than the largest id of an edge; 0 if there is no edge.
func (g *Graph) EdgeIDsEnd(opts Options) (uint64, error) {
	switch {
	case g.EdgeIDs != nil:
		return afterLargest(g.EdgeIDs, opts)
	case g.EdgeIDs64 != nil:
		return afterLargest(g.EdgeIDs64, opts)
	default:
		return uint64(g.NumEdges()), nil
	}
}

// afterLargest returns one more than the largest element of an array, or 0.
func afterLargest[T uint32 | uint64](ids []T, opts Options) (uint64, error) {
	end, mu := uint64(0), sync.Mutex{}
	err := parallel.For(opts.Job, opts.Threads, len(ids), EdgeChunk, func(lo, hi int) error {
		found := uint64(slices.Max(ids[lo:hi])) + 1
		mu.Lock()
		defer mu.Unlock()
		end = max(end, found)
		return nil
	})
	return end, err
}

// scanNextID rejects a NextID that an edge has, or that is too large.
func scanNextID(g *Graph, opts Options) error {
	if g.NextID == 0 {
		return nil
	}
	end, err := g.EdgeIDsEnd(opts)
	if err != nil {
		return err
	}
	if g.NextID < end || g.NextID-end > maxRetiredIDs {
		return refuse.Format("next_id is %d: expected %d to %d, since the largest id of an edge is %d",
			g.NextID, end, end+maxRetiredIDs, int64(end)-1)
	}
	return nil
}
