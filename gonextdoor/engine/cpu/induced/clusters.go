package induced

import (
	"slices"
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// ClusterEdges are the vertices of some clusters, and the edges among them, in arrays that are lent from offheap.Results.
type ClusterEdges struct {
	Vertices []int64
	Edges
}

// Return returns the arrays.
func (e *ClusterEdges) Return() {
	buffer.Return(e.Vertices)
	e.Edges.Return()
	*e = ClusterEdges{}
}

// clusterScratch has a number per cluster. All shifts are notChosen between calls.
type clusterScratch struct {
	shifts []int64         // what is added to a vertex of a chosen cluster to get its place
	runs   []stage.EdgeRun // those among chosen clusters
}

// notChosen is the shift of other clusters.
const notChosen = -1 << 63

var clusterPool = sync.Pool{New: func() any { return new(clusterScratch) }}

// OfClusters finds the edges among the vertices of chosen clusters, batch by batch. Each batch has one thread. Cluster c has the
// vertices from bounds[c] to below bounds[c+1].
//
// Its definition: Among, with the vertices of the chosen clusters, one cluster after the other, as the one group of a batch and as
// its others.
func OfClusters(g *graph.Graph, bounds []int64, batches [][]int64, threads int) ([]ClusterEdges, error) {
	runs, err := index.ClusterRunsOf(g, bounds, threads)
	if err != nil {
		return nil, err
	}
	return many(len(batches), threads, func(i int) (ClusterEdges, error) { return ofClusters(g, runs, batches[i]) })
}

// ofClusters is OfClusters for a batch.
func ofClusters(g *graph.Graph, runs index.ClusterRuns, chosen []int64) (out ClusterEdges, err error) {
	bounds := runs.Bounds
	for i, c := range chosen {
		if c < 0 || c >= int64(len(bounds)-1) {
			return out, refuse.Index("clusters[%d] = %d is out of range: cluster ids must be 0 <= id < %d", i, c, len(bounds)-1)
		}
	}
	s := clusterPool.Get().(*clusterScratch)
	defer clusterPool.Put(s)
	for len(s.shifts) < len(bounds) {
		s.shifts = append(s.shifts, notChosen)
	}
	defer func() { // also if a fault of a mapped file unwinds the stack
		for _, c := range chosen {
			s.shifts[c] = notChosen
		}
	}()
	// 1. The place of each cluster. If one repeats, its first place counts.
	vertices := 0
	for _, c := range chosen {
		if s.shifts[c] == notChosen {
			s.shifts[c] = int64(vertices) - bounds[c]
		}
		vertices += int(bounds[c+1] - bounds[c])
	}
	// 2. Find the runs of edges among them.
	edges := s.find(g, runs, chosen)
	// 3. Write the vertices and the edges.
	if err = out.lend(vertices, edges); err != nil {
		return out, err
	}
	i := 0
	for _, c := range chosen {
		for v := bounds[c]; v < bounds[c+1]; v++ {
			out.Vertices[i] = v
			i++
		}
	}
	stage.WriteRuns(s.runs, g.Indices, out.Places[:edges], out.Places[edges:], out.IDs)
	replaceByIDs(g, out.IDs)
	return out, nil
}

// lend borrows arrays for some vertices and edges.
func (e *ClusterEdges) lend(vertices, edges int) error {
	for array, size := range map[*[]int64]int{&e.Vertices: vertices, &e.Places: 2 * edges, &e.IDs: edges} {
		if err := buffer.GrowLent(array, size, nil); err != nil {
			e.Return()
			return err
		}
	}
	return nil
}

// find finds the runs of edges that lead from chosen clusters to chosen clusters, and returns the number of their edges. It has no
// branch on whether a run is one of them, since that is unpredictable.
func (s *clusterScratch) find(g *graph.Graph, runs index.ClusterRuns, chosen []int64) (edges int) {
	most := 1 // one more may be written
	for _, c := range chosen {
		most += int(runs.First[runs.Bounds[c+1]] - runs.First[runs.Bounds[c]])
	}
	s.runs = slices.Grow(s.runs[:0], most)[:most]
	n, place := 0, uint32(0)
	for _, c := range chosen {
		for v := runs.Bounds[c]; v < runs.Bounds[c+1]; v++ {
			first, begin := g.Indptr[v], uint32(0)
			for _, run := range runs.Of(v) {
				shift, size := s.shifts[run.Cluster], run.End-begin
				s.runs[n] = stage.EdgeRun{First: first + uint64(begin), Shift: shift, Place: place, Edges: size}
				begin = run.End
				if shift != notChosen {
					n++
					edges += int(size)
				}
			}
			place++
		}
	}
	s.runs = s.runs[:n]
	return edges
}
