package partition

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Split copies a graph in memory into parts. hot lists the vertices whose rows every part has, in ascending order without
// repetitions; the parts share one copy. The caller closes every part.
func Split(g *graph.Graph, owners Owners, hot []uint32, opts graph.Options) (parts []*Part, err error) {
	if err := g.ValidateWith(opts); err != nil {
		return nil, err
	}
	layout := &Layout{Owners: owners, Hot: hot}
	if layout.Whole, err = WholeOf(g, opts); err != nil {
		return nil, err
	}
	vertices, err := ownedVertices(g, layout)
	if err != nil {
		return nil, err
	}
	shared := &sharedRows{}
	defer shared.release()
	shared.users.Add(1)
	if len(hot) > 0 {
		if shared.rows, err = copyRows(g, layout.Whole, hot, opts); err != nil {
			return nil, err
		}
	}
	for k := range vertices {
		rows, err := copyRows(g, layout.Whole, vertices[k], opts)
		if err == nil {
			var p *Part
			if p, err = NewPart(layout, k, rows, shared.rows); err == nil {
				shared.users.Add(1)
				p.OnClose(rows.Close)
				p.OnClose(shared.release)
				parts = append(parts, p)
				continue
			}
			rows.Close()
		}
		for _, p := range parts {
			p.Close()
		}
		return nil, err
	}
	return parts, nil
}

// ownedVertices sets the degrees of a layout, checks its owners and hot vertices, and returns the vertices of each part.
func ownedVertices(g *graph.Graph, layout *Layout) (vertices [][]uint32, err error) {
	n, count := uint32(g.NumVertices()), layout.Owners.Parts()
	layout.Degrees, vertices = make([]uint32, n), make([][]uint32, count)
	for v := range n {
		layout.Degrees[v] = uint32(g.Degree(v))
		k := layout.Owners.Owner(v)
		if k < 0 || k >= count {
			return nil, refuse.Value("owner[%d] = %d: expected a part from 0 to %d", v, k, count-1)
		}
		vertices[k] = append(vertices[k], v)
	}
	for i, v := range layout.Hot {
		if v >= n || i > 0 && v <= layout.Hot[i-1] {
			return nil, refuse.Value("hot[%d] = %d: expected ascending vertices below %d", i, v, n)
		}
	}
	return vertices, nil
}

// sharedRows are the hot rows of parts in one process, which the last part frees.
type sharedRows struct {
	rows  *graph.Graph // nil: there are none
	users atomic.Int64
}

// release ends the use of a part.
func (s *sharedRows) release() {
	if s.users.Add(-1) == 0 && s.rows != nil {
		s.rows.Close()
	}
}

// copyRows returns a graph of the rows of some vertices of g, with the properties of the whole graph.
func copyRows(g *graph.Graph, whole WholeGraph, vertices []uint32, opts graph.Options) (*graph.Graph, error) {
	// 1. Allocate the arrays.
	n, m := len(vertices), 0
	for _, v := range vertices {
		m += int(g.Degree(v))
	}
	var arrays allocation
	rows := &graph.Graph{Indptr: allocate[uint64](&arrays, n+1, 0), Indices: allocate[uint32](&arrays, m, 1)}
	limit := g.NumEdges()
	if g.EdgeIDs64 != nil {
		limit = 1 << 62
	}
	if limit <= 1<<32 {
		rows.EdgeIDs = allocate[uint32](&arrays, m, 0)
	} else {
		rows.EdgeIDs64 = allocate[uint64](&arrays, m, 0)
	}
	if g.Weighted() {
		rows.Biases, rows.Scales = allocate[uint32](&arrays, m, 0), allocate[int16](&arrays, n, 0)
	}
	if g.Labels != nil {
		rows.Labels = allocate[int32](&arrays, m, 0)
	}
	if g.Times != nil {
		rows.Times = allocate[int64](&arrays, m, 0)
	}
	if arrays.err != nil {
		arrays.free()
		return nil, arrays.err
	}
	// 2. Copy the rows.
	for i, v := range vertices {
		rows.Indptr[i+1] = rows.Indptr[i] + g.Degree(v)
	}
	rows.Indices[:m+1][m] = graph.None
	ids := graph.EdgeOrder{Narrow: rows.EdgeIDs, Wide: rows.EdgeIDs64}
	err := parallel.For(opts.Job, opts.Threads, n, graph.VertexChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			copyRow(g, vertices[i], rows, i, ids)
		}
		return nil
	})
	if err != nil {
		arrays.free()
		return nil, err
	}
	// 3. Make the graph.
	part, err := graph.FromArrays(rows.Arrays(), graph.Summary{MaxDegree: whole.MaxDegree, HasSinks: whole.HasSinks, Checked: true})
	if err != nil {
		arrays.free()
		return nil, err
	}
	part.OnClose(arrays.free)
	return part, nil
}

// copyRow copies the row of v to row i.
func copyRow(g *graph.Graph, v uint32, rows *graph.Graph, i int, ids graph.EdgeOrder) {
	first, end := g.Row(v)
	at := rows.Indptr[i]
	copy(rows.Indices[at:], g.Indices[first:end])
	for p := first; p < end; p++ {
		ids.Set(int(at+p-first), g.EdgeID(p))
	}
	if g.Weighted() {
		copy(rows.Biases[at:], g.Biases[first:end])
		rows.Scales[i] = g.Scales[v]
	}
	if g.Labels != nil {
		copy(rows.Labels[at:], g.Labels[first:end])
	}
	if g.Times != nil {
		copy(rows.Times[at:], g.Times[first:end])
	}
}

// allocation collects arrays outside the Go heap, and the first error.
type allocation struct {
	frees []func()
	err   error
}

// allocate returns an array of n elements with capacity for extra elements. It is empty after an error.
func allocate[T any](a *allocation, n, extra int) []T {
	if a.err != nil {
		return nil
	}
	array, err := offheap.MakeSlack[T](n, extra)
	if err != nil {
		a.err = err
		return nil
	}
	a.frees = append(a.frees, func() { offheap.Free(array) })
	return array
}

// free frees the arrays.
func (a *allocation) free() {
	for _, f := range a.frees {
		f()
	}
}
