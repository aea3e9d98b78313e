package index_test

import (
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

// timed returns a graph with times, the extreme ones included.
func timed() *graph.Graph {
	g := graphtest.Timed(graphtest.Diamond(false))
	g.Times[0], g.Times[3], g.Times[5] = math.MinInt64, math.MaxInt64, math.MaxInt64
	return g
}

// Rows are in order of time, and the edges that may follow an edge are the last ones of the row of its end point.
func TestTemporalRowsAreThoseOfTheGraph(t *testing.T) {
	g := timed()
	defer g.Close()
	for _, order := range []index.TemporalOrder{{}, {Strict: true}, {Backward: true}, {Backward: true, Strict: true}} {
		view, err := index.TemporalView(g, order, graph.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		rows := index.TemporalRowsOf(view)
		for u := range uint32(g.NumVertices()) {
			first, end := g.Row(u)
			want := []uint64{}
			for p := first; p < end; p++ {
				want = append(want, p)
			}
			slices.SortStableFunc(want, func(p, q uint64) int {
				if order.Backward {
					p, q = q, p
				}
				switch {
				case g.Times[p] < g.Times[q]:
					return -1
				case g.Times[p] > g.Times[q]:
					return 1
				}
				return 0
			})
			for i, p := range want {
				at := first + uint64(i)
				e := rows.Edges[at]
				if first+uint64(rows.Places[at]) != p || e.Target != g.Indices[p] {
					t.Fatalf("%+v: place %d of vertex %d has edge %d to %d, expected %d", order, i, u, rows.Places[at], e.Target, p)
				}
				start, stop := g.Row(e.Target)
				if e.First+uint64(e.Count) != stop {
					t.Fatalf("%+v: edge %d is followed by %d edges from %d on, which do not end at %d", order, p, e.Count, e.First, stop)
				}
				for next := start; next < stop; next++ {
					time := g.Times[start+uint64(rows.Places[next])]
					if order.Follows(time, g.Times[p]) != (next >= e.First) {
						t.Fatalf("%+v: edge %d at time %d, then time %d", order, p, g.Times[p], time)
					}
				}
			}
		}
	}
}

// Times are in the order of the rows, and compare as those along the walk do.
func TestTemporalTimesAreInTheOrderOfTheRows(t *testing.T) {
	g := timed()
	defer g.Close()
	for _, order := range []index.TemporalOrder{{}, {Backward: true}, {Scale: 5}} {
		table := index.TemporalTimesTable(order)
		if table.Built(g) || table.Bytes(g) != int64(8*g.NumEdges()) {
			t.Errorf("%+v: a table of %d bytes, built %v", order, table.Bytes(g), table.Built(g))
		}
		if err := table.Build(g, graph.Options{}); err != nil || !table.Built(g) {
			t.Fatal(err)
		}
		view := index.TemporalViewNow(g, order)
		times, _ := index.TemporalTimes(view, graph.Options{})
		rows := index.TemporalRowsOf(view)
		for u := range uint32(g.NumVertices()) {
			first, end := g.Row(u)
			for at := first; at < end; at++ {
				if want := order.Along(g.Times[first+uint64(rows.Places[at])]); times[at] != index.TimeAlong(want) {
					t.Fatalf("%+v: edge %d at %d, expected the time %d", order, at, times[at], want)
				}
			}
			if !slices.IsSorted(times[first:end]) {
				t.Fatalf("%+v: times of vertex %d: %v", order, u, times[first:end])
			}
		}
		if len(times) != g.NumEdges()+1 {
			t.Errorf("%d times", len(times))
		}
	}
	stopped := new(job.Job)
	stopped.Stop = 1
	view, _ := index.TemporalView(g, index.TemporalOrder{Strict: true}, graph.Options{})
	if _, err := index.TemporalTimes(view, graph.Options{Job: stopped}); err == nil {
		t.Error("a stopped job built the times")
	}
}

func TestTemporalViewsAreBuiltOnceAndShareTheirRows(t *testing.T) {
	g := timed()
	order := index.TemporalOrder{Strict: true, Scale: 5}
	if index.TemporalViewNow(g, order) != nil || index.TemporalTable(order).Built(g) {
		t.Error("a view exists before it is built")
	}
	stopped := new(job.Job)
	stopped.Stop = 1
	if _, err := index.TemporalView(g, order, graph.Options{Job: stopped}); err == nil || index.TemporalViewNow(g, order) != nil {
		t.Errorf("a stopped job built the view: %v", err)
	}
	view, err := index.TemporalView(g, order, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := index.TemporalView(view, order, graph.Options{})
	if again != view || index.TemporalViewNow(g, order) != view || !index.TemporalTable(order).Built(g) {
		t.Error("the view is not that of the first call")
	}
	plain := index.TemporalViewNow(g, index.TemporalOrder{Strict: true})
	if plain == nil || &index.TemporalRowsOf(plain).Edges[0] != &index.TemporalRowsOf(view).Edges[0] {
		t.Error("the rows are not shared")
	}
	if len(index.TemporalRowsOf(g).Edges) != 0 || index.TemporalRowsOf(plain).Sums != nil {
		t.Error("tables of the graph and of the plain view")
	}
	g.Close()
}

func TestTheTimeSpanIsExact(t *testing.T) {
	g := timed()
	defer g.Close()
	if span, err := index.TimeSpan(g, graph.Options{}); span != math.MaxUint64 || err != nil {
		t.Errorf("span %d, %v", span, err)
	}
	// 2^64-1 times 5 vertices over 15 edges
	if gap, _ := index.MeanGap(g, graph.Options{}); gap != math.MaxUint64/3 {
		t.Errorf("mean gap %d, expected %d", gap, uint64(math.MaxUint64/3))
	}
	none := graphtest.Timed(graphtest.Lonely(false))
	defer none.Close()
	span, _ := index.TimeSpan(none, graph.Options{})
	if gap, _ := index.MeanGap(none, graph.Options{}); span != 0 || gap != 1 {
		t.Errorf("a graph without edges has the span %d and the mean gap %d", span, gap)
	}
}
