package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Selected returns a graph with the rows of some vertices of g: row i is that of vertices[i]. Its neighbours are vertices of
// g, its edge ids those of g, which are always listed unless g has none, and it has no names. The caller must Close it; g may be closed before.
func Selected(g *graph.Graph, vertices []uint32, opts graph.Options) (*graph.Graph, error) {
	s := &graph.Graph{Ends: g.NumEnds(), NoEdgeIDs: g.NoEdgeIDs}
	err := selectOffsets(s, g, vertices)
	if err == nil {
		err = selectedArrays(s, g)
	}
	if err == nil {
		err = parallel.For(opts.Job, opts.Threads, len(vertices), graph.VertexChunk, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				selectRow(s, g, uint32(i), vertices[i])
			}
			return nil
		})
	}
	if err == nil {
		err = s.Summarize(opts.Threads, opts.Job)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// selectOffsets sets Indptr.
func selectOffsets(s, g *graph.Graph, vertices []uint32) (err error) {
	if s.Indptr, err = offheap.Make[uint64](len(vertices) + 1); err != nil {
		return err
	}
	graph.Own(s, s.Indptr)
	for i, v := range vertices {
		if int64(v) >= int64(g.NumVertices()) {
			return refuse.Index("vertex %d: the graph has %d vertices", v, g.NumVertices())
		}
		s.Indptr[i+1] = s.Indptr[i] + g.Degree(v)
	}
	return nil
}

// selectedArrays allocates all arrays of s that g has, after Indptr. The ids take 64 bits if those of g do.
func selectedArrays(s, g *graph.Graph) (err error) {
	n, m := s.NumVertices(), int(s.Indptr[s.NumVertices()])
	if s.Indices, err = offheap.MakeSlack[uint32](m, 1); err != nil {
		return err
	}
	graph.Own(s, s.Indices)
	s.Indices[:m+1][m] = graph.None
	if !g.NoEdgeIDs {
		end := g.NumEdges()
		if g.EdgeIDs64 != nil {
			end = 1 << 33
		} else if g.EdgeIDs != nil {
			end = 0
		}
		ids, err := graph.MakeEdgeOrder(m, end)
		if err != nil {
			return err
		}
		setIDs(s, ids)
	}
	if s.Biases, err = ownLike(s, g.Biases, m); err != nil {
		return err
	}
	if s.Scales, err = ownLike(s, g.Scales, n); err != nil {
		return err
	}
	if s.Labels, err = ownLike(s, g.Labels, m); err != nil {
		return err
	}
	s.Times, err = ownLike(s, g.Times, m)
	return err
}

// ownLike returns an array of n elements that s owns, or nil if like is nil.
func ownLike[T any](s *graph.Graph, like []T, n int) ([]T, error) {
	if like == nil {
		return nil, nil
	}
	array, err := offheap.Make[T](n)
	return graph.Own(s, array), err
}

// selectRow copies the row of vertex v of g to row i of s.
func selectRow(s, g *graph.Graph, i, v uint32) {
	to := s.Indptr[i]
	first, end := g.Row(v)
	copy(s.Indices[to:], g.Indices[first:end])
	for p := first; p < end && !g.NoEdgeIDs; p++ {
		id := g.EdgeID(p)
		if s.EdgeIDs != nil {
			s.EdgeIDs[to+p-first] = uint32(id)
		} else {
			s.EdgeIDs64[to+p-first] = id
		}
	}
	if g.Biases != nil {
		copy(s.Biases[to:], g.Biases[first:end])
		s.Scales[i] = g.Scales[v]
	}
	if g.Labels != nil {
		copy(s.Labels[to:], g.Labels[first:end])
	}
	if g.Times != nil {
		copy(s.Times[to:], g.Times[first:end])
	}
}
