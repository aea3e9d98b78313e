package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// SegmentEdges is the number of edges of a segment: the edges at the positions k*SegmentEdges ... (k+1)*SegmentEdges-1. Two
// cache lines hold their biases.
const SegmentEdges = 32

// Segments are sums of biases, by which a search draws an edge of a row in proportion to its bias: it finds the segment, and
// then reads the biases of at most SegmentEdges edges. They take a quarter of a byte per edge and 8 bytes per vertex.
type Segments struct {
	Totals []uint64 // per vertex, the sum of the biases of its row
	Sums   []uint64 // per segment, the sum of the biases before it within the row that its first edge belongs to
}

func (s Segments) free() {
	offheap.Free(s.Totals)
	offheap.Free(s.Sums)
}

var segmentsKey = graph.NewKey(Segments.free)

// segmentsOf returns the number of segments of m edges.
func segmentsOf(m int) int { return (m + SegmentEdges - 1) / SegmentEdges }

// SegmentsOf returns the sums of a graph's biases. They are empty if the graph is unweighted.
func SegmentsOf(g *graph.Graph, opts graph.Options) (Segments, error) {
	if !g.Weighted() {
		return Segments{}, nil
	}
	return segmentsKey.Get(g, func() (s Segments, err error) {
		if s.Totals, err = offheap.Make[uint64](g.NumVertices()); err != nil {
			return Segments{}, err
		}
		if s.Sums, err = offheap.Make[uint64](segmentsOf(g.NumEdges())); err == nil {
			err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
				for u := lo; u < hi; u++ {
					s.Totals[u] = s.add(g.Biases, g.Indptr[u], g.Indptr[u+1])
				}
				return nil
			})
		}
		if err != nil {
			s.free()
			return Segments{}, err
		}
		return s, nil
	})
}

// add writes the sums of the segments that begin in the row [at, end), and returns the sum of its biases.
func (s Segments) add(biases []uint32, at, end uint64) (sum uint64) {
	for ; at < end; at++ {
		if at%SegmentEdges == 0 {
			s.Sums[at/SegmentEdges] = sum
		}
		sum += uint64(biases[at])
	}
	return sum
}

// SegmentsNow returns the sums of SegmentsOf, which are empty if they have not been built.
func SegmentsNow(g *graph.Graph) Segments { return segmentsKey.Now(g) }
