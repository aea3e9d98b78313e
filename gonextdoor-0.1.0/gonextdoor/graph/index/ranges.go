package index

import (
	"math"
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

var (
	edgeRangesKey = graph.NewKey[EdgeRanges](nil)
	endDegreesKey = graph.NewKey[Degrees](nil)
)

// EdgeRanges holds the least and the largest value of each attribute of the edges. A graph without an attribute has the
// value that hooks read instead: weight 1, label 0, and the position as the id. Times are 0, as hooks cannot read them. All are
// 0 in a graph without edges.
type EdgeRanges struct {
	LeastWeight   float64 `json:"least_weight"`
	LargestWeight float64 `json:"largest_weight"`
	LeastLabel    int32   `json:"least_label"`
	LargestLabel  int32   `json:"largest_label"`
	LeastTime     int64   `json:"least_time"`
	LargestTime   int64   `json:"largest_time"`
	LargestID     uint64  `json:"largest_id"`
}

// Degrees is the range of the degrees of some vertices.
type Degrees struct {
	Least   uint64 `json:"least"`
	Largest uint64 `json:"largest"`
}

// EdgeRangesOf returns the ranges of the edges' attributes. The first call reads all attributes; the result is cached.
func EdgeRangesOf(g *graph.Graph, opts graph.Options) (EdgeRanges, error) {
	if err := g.ValidateWith(opts); err != nil {
		return EdgeRanges{}, err
	}
	return edgeRangesKey.Get(g, func() (EdgeRanges, error) {
		if g.NumEdges() == 0 {
			return EdgeRanges{}, nil
		}
		all := EdgeRanges{LeastWeight: 1, LargestWeight: 1, LargestID: uint64(g.NumEdges()) - 1}
		if g.Weighted() {
			all.LeastWeight, all.LargestWeight = math.Inf(1), 0
		}
		if len(g.Labels) > 0 {
			all.LeastLabel, all.LargestLabel = math.MaxInt32, math.MinInt32
		}
		if len(g.Times) > 0 {
			all.LeastTime, all.LargestTime = math.MaxInt64, math.MinInt64
		}
		if g.EdgeIDs != nil || g.EdgeIDs64 != nil {
			all.LargestID = 0
		}
		start, mu := all, sync.Mutex{}
		err := parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
			found := start.ofRows(g, lo, hi)
			mu.Lock()
			defer mu.Unlock()
			all.join(found)
			return nil
		})
		return all, err
	})
}

// ofRows returns r extended to the edges of the rows [lo, hi).
func (r EdgeRanges) ofRows(g *graph.Graph, lo, hi int) EdgeRanges {
	first, end := g.Indptr[lo], g.Indptr[hi]
	if g.Weighted() {
		for u := lo; u < hi; u++ {
			from, to := g.Row(uint32(u))
			for p := from; p < to; p++ {
				w := g.Weight(uint32(u), p)
				r.LeastWeight, r.LargestWeight = min(r.LeastWeight, w), max(r.LargestWeight, w)
			}
		}
	}
	if len(g.Labels) > 0 {
		for _, label := range g.Labels[first:end] {
			r.LeastLabel, r.LargestLabel = min(r.LeastLabel, label), max(r.LargestLabel, label)
		}
	}
	if len(g.Times) > 0 {
		for _, time := range g.Times[first:end] {
			r.LeastTime, r.LargestTime = min(r.LeastTime, time), max(r.LargestTime, time)
		}
	}
	if g.EdgeIDs != nil {
		for _, id := range g.EdgeIDs[first:end] {
			r.LargestID = max(r.LargestID, uint64(id))
		}
	}
	if g.EdgeIDs64 != nil {
		for _, id := range g.EdgeIDs64[first:end] {
			r.LargestID = max(r.LargestID, id)
		}
	}
	return r
}

// join extends r to the values of other.
func (r *EdgeRanges) join(other EdgeRanges) {
	r.LeastWeight, r.LargestWeight = min(r.LeastWeight, other.LeastWeight), max(r.LargestWeight, other.LargestWeight)
	r.LeastLabel, r.LargestLabel = min(r.LeastLabel, other.LeastLabel), max(r.LargestLabel, other.LargestLabel)
	r.LeastTime, r.LargestTime = min(r.LeastTime, other.LeastTime), max(r.LargestTime, other.LargestTime)
	r.LargestID = max(r.LargestID, other.LargestID)
}

// EndDegrees returns the range of the degrees of the vertices to which an edge leads, zeros if there are no edges. The first
// call reads the end point of every edge; the result is cached.
func EndDegrees(g *graph.Graph, opts graph.Options) (Degrees, error) {
	if err := g.ValidateWith(opts); err != nil {
		return Degrees{}, err
	}
	return endDegreesKey.Get(g.Base(), func() (Degrees, error) {
		if g.NumEdges() == 0 {
			return Degrees{}, nil
		}
		all := Degrees{Least: math.MaxUint64}
		var mu sync.Mutex
		err := parallel.For(opts.Job, opts.Threads, g.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
			found := Degrees{Least: math.MaxUint64}
			for _, v := range g.Indices[lo:hi] {
				d := g.Degree(v)
				found.Least, found.Largest = min(found.Least, d), max(found.Largest, d)
			}
			mu.Lock()
			defer mu.Unlock()
			all.Least, all.Largest = min(all.Least, found.Least), max(all.Largest, found.Largest)
			return nil
		})
		return all, err
	})
}
