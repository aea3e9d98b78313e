package index

import (
	"cmp"
	"math"
	"sort"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// TemporalOrder describes the order of edges along a temporal walk.
type TemporalOrder struct {
	Backward bool   // times descend along the walk; otherwise they ascend
	Strict   bool   // successive edges have different times
	Scale    uint64 // of the exponential decay of weights, in units of time; 0: weights do not decay
}

// Along returns a number for a time that ascends along the walk. It preserves the time between edges.
func (o TemporalOrder) Along(time int64) int64 {
	if o.Backward {
		return ^time // -time-1: no overflow
	}
	return time
}

// Compare compares two times along the walk.
func (o TemporalOrder) Compare(a, b int64) int { return cmp.Compare(o.Along(a), o.Along(b)) }

// Follows reports whether an edge at time next may follow one at time last.
func (o TemporalOrder) Follows(next, last int64) bool {
	order := o.Compare(next, last)
	return order > 0 || order == 0 && !o.Strict
}

// TemporalRows are the rows of a graph with the edges of each row in the order of their times along a walk; edges of equal time
// keep their order. Row v is [Indptr[v], Indptr[v+1]), as in the graph. The edges that may follow an edge are the last ones
// of the row of its end point, so each edge stores where they begin: a step needs no search.
type TemporalRows struct {
	Order  TemporalOrder
	Edges  []TemporalEdge
	Places []uint32   // the index of the edge in the row of the graph: its position is Indptr[v] + Places[i]
	Sums   []DecaySum // the sums of the weights of the row from the edge on; nil if weights do not decay
}

// TemporalEdge is an edge of TemporalRows. The edges that may follow it are Edges[First:First+Count]. GPUs read it as 16 bytes.
type TemporalEdge struct {
	Target uint32
	Count  uint32
	First  uint64
}

// MaxTemporalDegree is the largest number of edges of a row of TemporalRows.
const MaxTemporalDegree = math.MaxUint32

// temporalViews holds the views of a graph that have TemporalRows, by their order.
type temporalViews struct {
	mu    sync.Mutex
	views map[TemporalOrder]*graph.Graph
}

var (
	temporalViewsKey = graph.NewKey((*temporalViews).close)
	temporalRowsKey  = graph.NewKey(TemporalRows.free)
)

// TemporalView returns the view of a graph with TemporalRows of an order. It is built at the first call and closed with the
// graph: 20 bytes per edge for each direction and strictness, and 8 for each scale. g must have times.
//
// It is a view so that GPUs can keep its rows like other arrays of a graph.
func TemporalView(g *graph.Graph, order TemporalOrder, opts graph.Options) (*graph.Graph, error) {
	v := temporalViewsOf(g)
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.view(g.Base(), order, opts)
}

// TemporalViewNow returns the view of TemporalView if it has been built, otherwise nil.
func TemporalViewNow(g *graph.Graph, order TemporalOrder) *graph.Graph {
	if !temporalViewsKey.Has(g.Base()) {
		return nil
	}
	v := temporalViewsOf(g)
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.views[order]
}

// TemporalRowsOf returns the rows of a view that TemporalView returned. For any other graph they are empty.
func TemporalRowsOf(view *graph.Graph) TemporalRows { return temporalRowsKey.Now(view) }

// TemporalTable describes the rows of TemporalView.
func TemporalTable(order TemporalOrder) *Table {
	each := int64(20)
	if order.Scale > 0 {
		each += 8
	}
	return &Table{
		Name:  "rows in order of time",
		Bytes: func(g *graph.Graph) int64 { return each * edges(g) },
		Built: func(g *graph.Graph) bool { return TemporalViewNow(g, order) != nil },
		Build: func(g *graph.Graph, opts graph.Options) error { _, err := TemporalView(g, order, opts); return err },
	}
}

// temporalViewsOf returns the views of a graph.
func temporalViewsOf(g *graph.Graph) *temporalViews {
	v, _ := temporalViewsKey.Get(g.Base(), func() (*temporalViews, error) {
		return &temporalViews{views: map[TemporalOrder]*graph.Graph{}}, nil
	})
	return v
}

// view returns the view of an order, building it first if necessary. The lock is held.
func (v *temporalViews) view(g *graph.Graph, order TemporalOrder, opts graph.Options) (*graph.Graph, error) {
	if view := v.views[order]; view != nil {
		return view, nil
	}
	rows := TemporalRows{Order: order}
	view := graph.NewView(g)
	view.Biases, view.Scales = g.Biases, g.Scales
	var err error
	if order.Scale == 0 {
		if rows.Edges, rows.Places, err = buildTemporalEdges(g, order, opts); err == nil {
			_, err = temporalRowsKey.Get(view, func() (TemporalRows, error) { return rows, nil })
		}
	} else { // the rows are those of the order without decay
		plain := order
		plain.Scale = 0
		base, failed := v.view(g, plain, opts)
		if failed != nil {
			return nil, failed
		}
		shared := TemporalRowsOf(base)
		if rows.Sums, err = buildDecaySums(g, shared.Places, order.Scale, opts); err == nil {
			graph.Own(view, rows.Sums)
			rows.Edges, rows.Places = shared.Edges, shared.Places
			temporalRowsKey.Import(view, rows)
		}
	}
	if err != nil {
		rows.free()
		return nil, err
	}
	v.views[order] = view
	return view, nil
}

// close closes all views.
func (v *temporalViews) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, view := range v.views {
		view.Close()
	}
	clear(v.views)
}

// buildTemporalEdges builds the arrays of TemporalRows without sums.
func buildTemporalEdges(g *graph.Graph, order TemporalOrder, opts graph.Options) (table []TemporalEdge, places []uint32, err error) {
	m := g.NumEdges()
	times, err := offheap.Make[int64](m) // in the order of the rows, along the walk
	defer func() {
		offheap.Free(times)
		if err != nil {
			offheap.Free(table)
			offheap.Free(places)
			table, places = nil, nil
		}
	}()
	if err != nil {
		return nil, nil, err
	}
	if table, err = offheap.Make[TemporalEdge](m); err != nil {
		return table, nil, err
	}
	if places, err = offheap.Make[uint32](m); err != nil {
		return table, places, err
	}
	// 1. Order the rows.
	err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var row []dated
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			row = row[:0]
			for p := first; p < end; p++ {
				row = append(row, dated{order.Along(g.Times[p]), p})
			}
			sortByTime(row)
			for i, e := range row {
				at := first + uint64(i)
				times[at], places[at], table[at].Target = e.time, uint32(e.position-first), g.Indices[e.position]
			}
		}
		return nil
	})
	if err != nil {
		return table, places, err
	}
	// 2. Find the edges that may follow each edge.
	return table, places, parallel.For(opts.Job, opts.Threads, m, graph.EdgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			e := &table[i]
			first, end := g.Row(e.Target)
			row, last := times[first:end], times[i]
			from := sort.Search(len(row), func(k int) bool { return row[k] > last || row[k] == last && !order.Strict })
			e.First, e.Count = first+uint64(from), uint32(len(row)-from)
		}
		return nil
	})
}

// buildDecaySums returns the sums of all rows, whose edges are in the order of places.
func buildDecaySums(g *graph.Graph, places []uint32, scale uint64, opts graph.Options) ([]DecaySum, error) {
	sums, err := offheap.Make[DecaySum](g.NumEdges())
	if err != nil {
		return nil, err
	}
	return sums, parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			time := func(i int) int64 { return g.Times[first+uint64(places[first+uint64(i)])] }
			DecaySums(int(end-first), time, scale, sums[first:end])
		}
		return nil
	})
}

// free frees the arrays.
func (r TemporalRows) free() {
	offheap.Free(r.Edges)
	offheap.Free(r.Places)
	offheap.Free(r.Sums)
}
