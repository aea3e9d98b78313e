package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// presorted makes the rows of edges that are sorted already. It only copies.
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
		begun := 0 // rows that begin at or before edge lo
		if lo > 0 {
			e.read(lo-1, src[:1], src[1:2])
			begun = int(src[0]) + 1
		}
		for ; lo < hi; lo += block {
			k := min(block, hi-lo)
			e.read(lo, src[:k], r.indices[lo:lo+k])
			for i, u := range src[:k] {
				for ; begun <= int(u); begun++ {
					r.indptr[begun] = uint64(lo + i)
				}
			}
		}
		if hi == e.len() {
			for ; begun <= n; begun++ {
				r.indptr[begun] = uint64(hi)
			}
		}
		return nil
	})
	return r, err
}
