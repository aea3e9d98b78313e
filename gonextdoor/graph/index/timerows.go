package index

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// TimeRows are the rows of a graph, each with its edges in order of time; edges of one time keep their order. Row v lies
// from Indptr[v] to Indptr[v+1], as in the graph itself.
type TimeRows struct {
	Indices   []uint32 // the end point of each edge
	EdgeIDs   []uint32 // its id, or nil: EdgeIDs64
	EdgeIDs64 []uint64
	Times     []int64
	Sums      []uint64 // of the biases in its row up to its own; nil where the graph has no weights
}

// Before turns degrees of rows into the numbers of their first edges that are not after a time each. It is
//
//	for i := range degrees { degrees[i] = number of Times[first[i]:first[i]+degrees[i]] that are at most moments[i] }
//
// by binary searches that go step by step together: what they read is far apart, and is waited for at once.
func (r *TimeRows) Before(first, degrees []uint64, moments []int64) {
	var searched [searches]struct{ from, left uint64 }
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

// searches is how many searches go together.
const searches = 8

// MakeTimeRows orders the rows of a graph by the times of its edges, or, where times of vertices are given, by those of
// their end points. Free gives the memory back.
func BuildTimeRows(g *graph.Graph, times []int64, hands graph.Options) (r TimeRows, err error) {
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
	return r, parallel.For(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var row []dated
		for v := lo; v < hi; v++ {
			row = r.order(g, times, uint32(v), row, ids)
		}
		return nil
	})
}

// dated is an edge's position and its time.
type dated struct {
	time     int64
	position uint64
}

func (r *TimeRows) order(g *graph.Graph, times []int64, v uint32, row []dated, ids graph.EdgeOrder) []dated {
	first, end := g.Row(v)
	row = row[:0]
	for p := first; p < end; p++ {
		if times != nil {
			row = append(row, dated{times[g.Indices[p]], p})
		} else {
			row = append(row, dated{g.Times[p], p})
		}
	}
	byTime := func(a, b dated) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.position, b.position)) }
	if !slices.IsSortedFunc(row, byTime) {
		slices.SortFunc(row, byTime)
	}
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

// Free gives the memory back.
func (r *TimeRows) Free() {
	offheap.Free(r.Indices)
	offheap.Free(r.EdgeIDs)
	offheap.Free(r.EdgeIDs64)
	offheap.Free(r.Times)
	offheap.Free(r.Sums)
}
