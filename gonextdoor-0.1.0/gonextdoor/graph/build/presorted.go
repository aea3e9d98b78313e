package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// presorted returns the rows of edges that are sorted already, by copying them. The caller frees the rows.
func (e *Edges) presorted(n int) (r sortedRows, err error) {
	defer func() {
		if err != nil {
			r.free()
			r = sortedRows{}
		}
	}()
	if err = offheap.Check(4*int64(e.len()) + 8*int64(n)); err != nil {
		return r, err
	}
	if r.indptr, err = offheap.Make[uint64](n + 1); err != nil {
		return r, err
	}
	if r.indices, err = offheap.MakeSlack[uint32](e.len(), 1); err != nil {
		return r, err
	}
	err = parallel.For(e.Job, e.Threads, e.len(), graph.EdgeChunk, func(lo, hi int) error {
		var src [block]uint32
		started := 0 // rows whose offset has been written, by this chunk or an earlier one
		if lo > 0 {
			e.read(lo-1, src[:1], src[1:2])
			started = int(src[0]) + 1
		}
		for ; lo < hi; lo += block {
			k := min(block, hi-lo)
			e.read(lo, src[:k], r.indices[lo:lo+k])
			for i, u := range src[:k] {
				for ; started <= int(u); started++ {
					r.indptr[started] = uint64(lo + i)
				}
			}
		}
		if hi == e.len() {
			for ; started <= n; started++ {
				r.indptr[started] = uint64(hi)
			}
		}
		return nil
	})
	return r, err
}
