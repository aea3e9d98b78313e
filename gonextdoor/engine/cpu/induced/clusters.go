package induced

import (
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
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

// clusterScratch has a number per cluster. All are notChosen between calls.
type clusterScratch struct {
	shifts []int64 // what is added to a vertex of a chosen cluster to get its place
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
	// 2. Count the edges.
	edges := 0
	for _, c := range chosen {
		for v := bounds[c]; v < bounds[c+1]; v++ {
			begin := 0
			for _, run := range runs.Of(v) {
				if s.shifts[run.Cluster] != notChosen {
					edges += int(run.End) - begin
				}
				begin = int(run.End)
			}
		}
	}
	// 3. Write them.
	if err = out.lend(vertices, edges); err == nil {
		s.write(g, runs, chosen, out)
	}
	return out, err
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

// write writes the vertices of the chosen clusters and the edges among them.
func (s *clusterScratch) write(g *graph.Graph, runs index.ClusterRuns, chosen []int64, out ClusterEdges) {
	edges := len(out.IDs)
	places, ends := out.Places[:edges], out.Places[edges:]
	i, at := 0, 0
	for _, c := range chosen {
		for v := runs.Bounds[c]; v < runs.Bounds[c+1]; v++ {
			out.Vertices[i] = v
			first, last := g.Row(uint32(v))
			row, begin := g.Indices[first:last], 0
			for _, run := range runs.Of(v) {
				end := int(run.End)
				if shift := s.shifts[run.Cluster]; shift != notChosen {
					putRun(row[begin:end], shift, int64(i), int64(first)+int64(begin), places[at:], ends[at:], out.IDs[at:])
					at += end - begin
				}
				begin = end
			}
			i++
		}
	}
	replaceByIDs(g, out.IDs)
}

// putRun writes the edges of a run.
func putRun(run []uint32, shift, place, position int64, places, ends, positions []int64) {
	places, ends, positions = places[:len(run)], ends[:len(run)], positions[:len(run)]
	for k, u := range run {
		places[k], ends[k], positions[k] = place, int64(u)+shift, position+int64(k)
	}
}
