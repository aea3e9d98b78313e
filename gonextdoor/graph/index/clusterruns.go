package index

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// ClusterRun is a set of successive edges of a row whose ends are in one cluster.
type ClusterRun struct {
	Cluster uint32
	End     uint32 // the number of edges of the row up to the last of the run
}

// ClusterRuns are the rows of a graph as runs of ends in one cluster, if clusters are ranges of vertices. To find the edges between
// clusters takes a test per run instead of one per edge: most edges of a cluster lead to few clusters.
type ClusterRuns struct {
	Bounds []int64      // the first vertex of each cluster, then the number of vertices
	First  []uint64     // NumVertices+1: of each vertex, the position of its first run
	Runs   []ClusterRun // 8 bytes each; at most one per edge
}

// Of returns the runs of a vertex.
func (r ClusterRuns) Of(v int64) []ClusterRun { return r.Runs[r.First[v]:r.First[v+1]] }

func (r ClusterRuns) free() {
	offheap.Free(r.First)
	offheap.Free(r.Runs)
}

var clusterRunsKey = graph.NewKey(ClusterRuns.free)

// ClusterRunsOf returns the runs of a graph for clusters with the given bounds, of which a graph has one set: those of the first call.
// It returns an error if bounds are not those of ranges that cover the vertices.
func ClusterRunsOf(g *graph.Graph, bounds []int64, threads int) (ClusterRuns, error) {
	g = g.Base()
	r, err := clusterRunsKey.Get(g, func() (ClusterRuns, error) { return makeClusterRuns(g, slices.Clone(bounds), threads) })
	if err == nil && !slices.Equal(bounds, r.Bounds) {
		return ClusterRuns{}, refuse.Value("the clusters are not those of the first call for this graph; make another graph for them")
	}
	return r, err
}

// makeClusterRuns makes the runs of a graph.
func makeClusterRuns(g *graph.Graph, bounds []int64, threads int) (r ClusterRuns, err error) {
	n := g.NumVertices()
	if len(bounds) == 0 || bounds[0] != 0 || bounds[len(bounds)-1] != int64(n) || !slices.IsSorted(bounds) {
		return r, refuse.Value("the bounds of clusters must ascend from 0 to %d, the number of vertices", n)
	}
	r.Bounds = bounds
	owners, err := offheap.Make[uint32](n)
	defer func() {
		offheap.Free(owners)
		if err != nil {
			r.free()
			r = ClusterRuns{}
		}
	}()
	if err != nil {
		return r, err
	}
	for c := range bounds[1:] {
		for v := bounds[c]; v < bounds[c+1]; v++ {
			owners[v] = uint32(c)
		}
	}
	if r.First, err = offheap.Make[uint64](n + 1); err != nil {
		return r, err
	}
	// 1. Count the runs of each row.
	err = parallel.For(nil, threads, n, graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			r.First[v+1] = uint64(putClusterRuns(g.Neighbors(uint32(v)), owners, nil))
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	for v := range n {
		r.First[v+1] += r.First[v]
	}
	// 2. Write them.
	if r.Runs, err = offheap.Make[ClusterRun](int(r.First[n])); err != nil {
		return r, err
	}
	err = parallel.For(nil, threads, n, graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			putClusterRuns(g.Neighbors(uint32(v)), owners, r.Of(int64(v)))
		}
		return nil
	})
	return r, err
}

// putClusterRuns writes the runs of a row, unless runs is nil, and returns their number.
func putClusterRuns(row, owners []uint32, runs []ClusterRun) (n int) {
	for i, u := range row {
		if i == 0 || owners[u] != owners[row[i-1]] {
			n++
		}
		if runs != nil {
			runs[n-1] = ClusterRun{owners[u], uint32(i + 1)}
		}
	}
	return n
}
