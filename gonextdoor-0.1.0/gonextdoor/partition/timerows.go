package partition

import (
	"slices"
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// timeRows has the edges of each row in the order of their times along a walk; edges of equal time keep their order. Unlike
// index.TemporalRows it has nothing about the rows of end points, which may be in other parts.
type timeRows struct {
	times  []int64          // TemporalOrder.Along of the times, ascending within a row
	places []uint32         // the index of the edge in its row
	sums   []index.DecaySum // the sums of the weights of the row from the edge on; nil if weights do not decay
}

// newTimeRows orders the rows of a graph. The arrays are freed when it is closed.
func newTimeRows(g *graph.Graph, order index.TemporalOrder, opts graph.Options) (t timeRows, err error) {
	defer func() {
		if err != nil {
			t.free()
			t = timeRows{}
		}
	}()
	m := g.NumEdges()
	if t.times, err = offheap.Make[int64](m); err != nil {
		return t, err
	}
	if t.places, err = offheap.Make[uint32](m); err != nil {
		return t, err
	}
	if order.Scale > 0 {
		if t.sums, err = offheap.Make[index.DecaySum](m); err != nil {
			return t, err
		}
	}
	return t, parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			times, places := t.times[first:end], t.places[first:end]
			for i := range places {
				places[i] = uint32(i)
			}
			slices.SortStableFunc(places, func(i, j uint32) int { return order.Compare(g.Times[first+uint64(i)], g.Times[first+uint64(j)]) })
			for i, place := range places {
				times[i] = order.Along(g.Times[first+uint64(place)])
			}
			if t.sums != nil {
				index.DecaySums(len(times), func(i int) int64 { return times[i] }, order.Scale, t.sums[first:end])
			}
		}
		return nil
	})
}

// after returns the first edge of a row [first, end) that may follow an edge at a time along the walk.
func (t *timeRows) after(first, end uint64, last int64, strict bool) uint64 {
	row := t.times[first:end]
	return first + uint64(sort.Search(len(row), func(i int) bool { return row[i] > last || row[i] == last && !strict }))
}

// free frees the arrays.
func (t *timeRows) free() {
	offheap.Free(t.times)
	offheap.Free(t.places)
	offheap.Free(t.sums)
}
