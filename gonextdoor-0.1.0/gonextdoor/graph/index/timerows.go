package index

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// TimeRows are the rows of a graph with the edges of each row ordered by time; edges of equal time keep their order. Row v is
// [Indptr[v], Indptr[v+1]), as in the graph. The caller owns them and must call Free.
type TimeRows struct {
	Indices   []uint32 // the end point of each edge
	EdgeIDs   []uint32 // the id of each edge; nil: see EdgeIDs64
	EdgeIDs64 []uint64
	Times     []int64  // the time of each edge
	Sums      []uint64 // prefix sums of the biases of the row, including the edge; nil if the graph is unweighted
}

// Before replaces the degrees of rows by the number of their edges that are not after a time. It is
//
//	for i := range degrees { degrees[i] = number of Times[first[i]:first[i]+degrees[i]] that are at most moments[i] }
//
// by binary searches that advance in lockstep, so that their cache misses overlap.
func (r *TimeRows) Before(first, degrees []uint64, moments []int64) {
	var searched [searches]struct{ from, left uint64 } // the range that each search has left
	for len(degrees) > 0 {
		n := min(len(degrees), searches)
		for i := range n {
			searched[i].from, searched[i].left = first[i], degrees[i]
		}
		for open := true; open; {
			open = false
			for i := range n {
				s := &searched[i]
				if s.left == 0 {
					continue
				}
				half := s.left / 2
				if r.Times[s.from+half] <= moments[i] {
					s.from, s.left = s.from+half+1, s.left-half-1
				} else {
					s.left = half
				}
				open = open || s.left > 0
			}
		}
		for i := range n {
			degrees[i] = searched[i].from - first[i]
		}
		first, degrees, moments = first[n:], degrees[n:], moments[n:]
	}
}

// searches is the number of searches in lockstep.
const searches = 8

// BuildTimeRows orders the rows of a graph by the times of the edges, or by times[v] of the end points v if times is not nil.
// The result is not cached.
func BuildTimeRows(g *graph.Graph, times []int64, opts graph.Options) (r TimeRows, err error) {
	defer func() {
		if err != nil {
			r.Free()
			r = TimeRows{}
		}
	}()
	m := g.NumEdges()
	if r.Indices, err = offheap.Make[uint32](m); err != nil {
		return r, err
	}
	limit := uint64(m)
	if g.EdgeIDs64 != nil {
		limit = 1 << 63
	}
	ids, err := graph.MakeEdgeOrder(m, int(min(limit, 1<<62)))
	r.EdgeIDs, r.EdgeIDs64 = ids.Narrow, ids.Wide
	if err != nil {
		return r, err
	}
	if r.Times, err = offheap.Make[int64](m); err != nil {
		return r, err
	}
	if g.Weighted() {
		if r.Sums, err = offheap.Make[uint64](m); err != nil {
			return r, err
		}
	}
	return r, parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var row []dated
		for v := lo; v < hi; v++ {
			row = r.order(g, times, uint32(v), row, ids)
		}
		return nil
	})
}

// dated is an edge with its time.
type dated struct {
	time     int64
	position uint64
}

// sortByTime orders edges by time; those of equal time by position.
func sortByTime(row []dated) {
	byTime := func(a, b dated) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.position, b.position)) }
	if !slices.IsSortedFunc(row, byTime) {
		slices.SortFunc(row, byTime)
	}
}

// rowByTime returns the edges of row v ordered by time, then by position. times has the times of the end points; nil: the
// edges have times. row is scratch memory, which it overwrites.
func rowByTime(g *graph.Graph, times []int64, v uint32, row []dated) []dated {
	first, end := g.Row(v)
	row = row[:0]
	for p := first; p < end; p++ {
		if times != nil {
			row = append(row, dated{times[g.Indices[p]], p})
		} else {
			row = append(row, dated{g.Times[p], p})
		}
	}
	sortByTime(row)
	return row
}

// order fills row v. row is scratch memory that it returns, possibly enlarged.
func (r *TimeRows) order(g *graph.Graph, times []int64, v uint32, row []dated, ids graph.EdgeOrder) []dated {
	row = rowByTime(g, times, v, row)
	first, _ := g.Row(v)
	sum := uint64(0)
	for i, e := range row {
		at := first + uint64(i)
		r.Indices[at], r.Times[at] = g.Indices[e.position], e.time
		ids.Set(int(at), g.EdgeID(e.position))
		if r.Sums != nil {
			sum += uint64(g.Biases[e.position])
			r.Sums[at] = sum
		}
	}
	return row
}

// Free frees the arrays.
func (r *TimeRows) Free() {
	offheap.Free(r.Indices)
	offheap.Free(r.EdgeIDs)
	offheap.Free(r.EdgeIDs64)
	offheap.Free(r.Times)
	offheap.Free(r.Sums)
}
