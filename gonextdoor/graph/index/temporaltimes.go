package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

var temporalTimesKey = graph.NewKey(offheap.Free[uint64])

// TimeAlong returns a time along a walk (TemporalOrder.Along) as an unsigned number, in the same order.
func TimeAlong(time int64) uint64 { return uint64(time) ^ 1<<63 }

// TemporalTimes returns the times of the edges of TemporalRows, by TimeAlong: they ascend within a row. Limits in time are
// searched in them. One more element follows the last, so that an empty row has an element to read. They are built at the
// first call. view is one of TemporalView.
func TemporalTimes(view *graph.Graph, opts graph.Options) ([]uint64, error) {
	return temporalTimesKey.Get(view, func() ([]uint64, error) {
		rows := TemporalRowsOf(view)
		times, err := offheap.Make[uint64](view.NumEdges() + 1)
		if err != nil {
			return nil, err
		}
		err = parallel.For(opts.Job, opts.Threads, view.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			for u := lo; u < hi; u++ {
				first, end := view.Row(uint32(u))
				for at := first; at < end; at++ {
					times[at] = TimeAlong(rows.Order.Along(view.Times[first+uint64(rows.Places[at])]))
				}
			}
			return nil
		})
		if err != nil {
			offheap.Free(times)
			return nil, err
		}
		return times, nil
	})
}

// TemporalTimesTable describes the times of an order.
func TemporalTimesTable(order TemporalOrder) *Table {
	return &Table{
		Name:  "times in the order of the rows",
		Bytes: func(g *graph.Graph) int64 { return 8 * edges(g) },
		Built: func(g *graph.Graph) bool {
			view := TemporalViewNow(g, order)
			return view != nil && temporalTimesKey.Has(view)
		},
		Build: func(g *graph.Graph, opts graph.Options) error {
			view, err := TemporalView(g, order, opts)
			if err == nil {
				_, err = TemporalTimes(view, opts)
			}
			return err
		},
	}
}
