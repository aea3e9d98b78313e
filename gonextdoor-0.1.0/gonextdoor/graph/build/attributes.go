package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// attributes are the user's arrays with one element per edge.
type attributes struct {
	weights, labels, times, edgeIDs graph.Array
	first                           uint64 // the position of element 0, for errors
}

// checkShape rejects wrong dtypes and lengths. like is the name of an array with one element per edge, of length n.
func (a attributes) checkShape(n int, like string) error {
	if err := checkNumbers(a.weights, "weights"); err != nil {
		return err
	}
	if err := checkLen(a.weights, "weights", n, like); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		graph.Array
	}{{"labels", a.labels}, {"times", a.times}, {"edge_ids", a.edgeIDs}} {
		if err := checkIntegers(x.Array, x.name); err != nil {
			return err
		}
		if err := checkLen(x.Array, x.name, n, like); err != nil {
			return err
		}
	}
	return nil
}

// checkValues rejects values among elements lo ... hi-1 that the graph cannot hold. hi-lo is at most block.
func (a attributes) checkValues(lo, hi int) error {
	if a.weights.Given() {
		var weights [block]float64
		dtypes[a.weights.Dtype].floats(a.weights, graph.EdgeOrder{First: lo}, weights[:hi-lo])
		for i, w := range weights[:hi-lo] {
			if !(w >= 0) || math.IsInf(w, 1) {
				return refuse.Value("weights[%d] = %s: expected a finite number that is not negative", a.first+uint64(lo+i), text(a.weights, lo+i))
			}
		}
	}
	if err := a.checkRange(a.labels, "labels", lo, hi, math.MinInt32, math.MaxInt32); err != nil {
		return err
	}
	if err := a.checkRange(a.times, "times", lo, hi, math.MinInt64, math.MaxInt64); err != nil {
		return err
	}
	return a.checkRange(a.edgeIDs, "edge_ids", lo, hi, 0, math.MaxInt64)
}

// checkRange rejects integers outside least ... most among elements lo ... hi-1 of an array. hi-lo is at most block.
func (s attributes) checkRange(a graph.Array, name string, lo, hi int, least, most int64) error {
	if !a.Given() {
		return nil
	}
	var values [block]int64
	bad := ints(a, lo, values[:hi-lo])
	for i, x := range values[:hi-lo] {
		if i == bad || x < least || x > most {
			return refuse.Value("%s[%d] = %s: expected an integer from %d to %d", name, s.first+uint64(lo+i), text(a, lo+i), least, most)
		}
	}
	return nil
}

// attach sets the attributes of a graph whose rows are complete. at maps its edges to the arrays.
func attach(g *graph.Graph, a attributes, at graph.EdgeOrder, threads int, j *job.Job) (err error) {
	if err := g.Summarize(threads, j); err != nil {
		return err
	}
	if a.weights.Given() {
		floats := dtypes[a.weights.Dtype].floats
		err = weigh(g, j, threads, func(lo int, dst []float64) { floats(a.weights, at.From(lo), dst) })
	}
	if err == nil && a.labels.Given() {
		g.Labels, err = attribute(g, a.labels, at, threads, j, dtypes[a.labels.Dtype].int32s)
	}
	if err == nil && a.times.Given() {
		g.Times, err = attribute(g, a.times, at, threads, j, dtypes[a.times.Dtype].int64s)
	}
	if err == nil && a.edgeIDs.Given() {
		err = identify(g, a.edgeIDs, at, threads, j)
	}
	return err
}

// attribute copies a user's array to one that g owns.
func attribute[T any](g *graph.Graph, a graph.Array, at graph.EdgeOrder, threads int, j *job.Job, read func(graph.Array, graph.EdgeOrder, []T)) ([]T, error) {
	out, err := copied(g.NumEdges(), a, at, threads, j, read)
	return graph.Own(g, out), err
}

// copied copies n elements of a user's array in the order of at. The caller frees the copy, also after an error.
func copied[T any](n int, a graph.Array, at graph.EdgeOrder, threads int, j *job.Job, read func(graph.Array, graph.EdgeOrder, []T)) ([]T, error) {
	out, err := offheap.Make[T](n)
	if err != nil {
		return nil, err
	}
	return out, parallel.For(j, threads, n, graph.EdgeChunk, func(lo, hi int) error {
		read(a, at.From(lo), out[lo:hi])
		return nil
	})
}

// identify sets the edge ids to the user's, in 32 bits if they fit.
func identify(g *graph.Graph, a graph.Array, at graph.EdgeOrder, threads int, j *job.Job) error {
	wide, err := copied(g.NumEdges(), a, at, threads, j, dtypes[a.Dtype].int64s)
	defer offheap.Free(wide)
	if err != nil {
		return err
	}
	largest := int64(0)
	for _, id := range wide {
		if id < 0 { // checkValues has rejected negative ids, so the array changed
			return refuseChange("edge_ids")
		}
		largest = max(largest, id)
	}
	ids, err := graph.MakeEdgeOrder(len(wide), int(min(largest, math.MaxInt64-1)+1))
	if err != nil {
		return err
	}
	for i, id := range wide {
		ids.Set(i, uint64(id))
	}
	setIDs(g, ids)
	return nil
}

// setIDs sets the edge ids of g, which takes over the list.
func setIDs(g *graph.Graph, ids graph.EdgeOrder) {
	g.EdgeIDs, g.EdgeIDs64 = ids.Narrow, ids.Wide
	g.OnClose(ids.Free)
}
