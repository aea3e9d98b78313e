package build

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// CSR is the input of FromCSR, a graph in compressed sparse rows: the edges at positions Indptr[u] ... Indptr[u+1]-1 lead from
// u to the vertices in Indices.
type CSR struct {
	Indptr, Indices graph.Array // integers
	Weights         graph.Array // integers or floats; optional
	Labels, Times   graph.Array // integers; optional
	EdgeIDs         graph.Array // integers that are not negative; default: the positions
	NumVertices     int         // Unknown: the number of rows; if larger, the remaining vertices have no edges
	Threads         int         // below 1: all
	Job             *job.Job
}

// CSRWork is the number of units that an edge adds to the job of FromCSR.
const CSRWork = 2

// attributes returns the arrays with one element per edge.
func (c *CSR) attributes() attributes {
	return attributes{weights: c.Weights, labels: c.Labels, times: c.Times, edgeIDs: c.EdgeIDs}
}

// FromCSR builds a graph from compressed sparse rows, which it copies. It is
//
//	for each row { sort.SliceStable by target }
//
// and returns the same graph for any number of threads. The caller must Close the graph.
func FromCSR(c CSR) (*graph.Graph, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.NumVertices == Unknown {
		c.NumVertices = c.Indptr.Len - 1
	}
	g := &graph.Graph{}
	if err := c.fill(g); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// fill sets all arrays of g, which owns them.
func (c *CSR) fill(g *graph.Graph) error {
	if err := c.copyIndptr(g); err != nil {
		return err
	}
	if err := c.copyIndices(g); err != nil {
		return err
	}
	if err := g.Summarize(c.Threads, c.Job); err != nil {
		return err
	}
	at, err := sortRows(g, c.Threads, c.Job)
	if err != nil {
		return err
	}
	switch {
	case !at.Listed():
	case c.EdgeIDs.Given():
		defer at.Free()
	default:
		setIDs(g, at)
	}
	c.Job.Add((CSRWork - 1) * int64(g.NumEdges()))
	return attach(g, c.attributes(), at, c.Threads, c.Job)
}

// check rejects wrong dtypes and lengths.
func (c *CSR) check() error {
	for _, x := range []struct {
		name string
		graph.Array
	}{{"indptr", c.Indptr}, {"indices", c.Indices}} {
		if !x.Given() {
			return refuse.Type("%s was not given: expected an array of integers", x.name)
		}
		if err := checkIntegers(x.Array, x.name); err != nil {
			return err
		}
	}
	if c.Indptr.Len == 0 {
		return refuse.Value("indptr has no elements: expected num_vertices + 1")
	}
	rows := c.Indptr.Len - 1
	if rows > graph.MaxVertices {
		return refuse.Value("indptr has %d elements: expected at most %d", c.Indptr.Len, graph.MaxVertices+1)
	}
	if c.NumVertices != Unknown && (c.NumVertices < rows || c.NumVertices > graph.MaxVertices) {
		return refuse.Value("num_vertices = %d: expected from %d (the rows of indptr) to %d", c.NumVertices, rows, graph.MaxVertices)
	}
	if err := c.attributes().checkShape(c.Indices.Len, "indices"); err != nil {
		return err
	}
	return offheap.Check(8*int64(c.NumVertices) + 4*int64(c.Indices.Len))
}

// copyIndptr copies the offsets and rejects invalid ones.
func (c *CSR) copyIndptr(g *graph.Graph) (err error) {
	if g.Indptr, err = offheap.Make[uint64](c.NumVertices + 1); err != nil {
		return err
	}
	graph.Own(g, g.Indptr)
	end := int64(c.Indices.Len)
	err = parallel.For(c.Job, c.Threads, c.Indptr.Len, graph.EdgeChunk, func(lo, hi int) error {
		var values [block + 1]int64 // of the block, after the element before it
		for ; lo < hi; lo += block {
			n := min(block, hi-lo)
			bad := -1
			if lo == 0 {
				bad = ints(c.Indptr, 0, values[1:n+1])
			} else if bad = ints(c.Indptr, lo-1, values[:n+1]); bad >= 0 {
				bad = max(bad-1, 0)
			}
			for i, x := range values[1 : n+1] {
				if i == bad || (lo+i == 0 && x != 0) || x < values[i] || x > end {
					return c.refuseOffset(lo+i, values[i])
				}
				g.Indptr[lo+i] = uint64(x)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	last := c.Indptr.Len - 1
	if g.Indptr[last] != uint64(end) {
		return refuse.Value("indptr[%d] = %d, its last element: expected %d, the length of indices", last, g.Indptr[last], end)
	}
	for u := last + 1; u <= c.NumVertices; u++ {
		g.Indptr[u] = uint64(end)
	}
	// The first offset of a block was read twice, and another thread may have changed it in between.
	return parallel.For(c.Job, c.Threads, last, graph.EdgeChunk, func(lo, hi int) error {
		if !slices.IsSorted(g.Indptr[lo : hi+1]) {
			return refuseChange("indptr")
		}
		return nil
	})
}

// refuseChange returns the error for an array that another thread changed.
func refuseChange(name string) error {
	return refuse.Value("%s changed while it was read: pass a copy, or let no other thread write to it", name)
}

// refuseOffset returns the error for element i of indptr; previous is the element before it.
func (c *CSR) refuseOffset(i int, previous int64) error {
	switch {
	case i == 0:
		return refuse.Value("indptr[0] = %s: expected 0", text(c.Indptr, 0))
	case i == c.Indptr.Len-1:
		return refuse.Value("indptr[%d] = %s, its last element: expected %d, the length of indices, after indptr[%d] = %d",
			i, text(c.Indptr, i), c.Indices.Len, i-1, previous)
	default:
		return refuse.Value("indptr[%d] = %s after indptr[%d] = %d: expected offsets that do not decrease and end at %d, the length of indices",
			i, text(c.Indptr, i), i-1, previous, c.Indices.Len)
	}
}

// copyIndices copies the neighbours. It rejects neighbours that are not vertices and attributes that the graph cannot hold.
func (c *CSR) copyIndices(g *graph.Graph) (err error) {
	if g.Indices, err = offheap.MakeSlack[uint32](c.Indices.Len, 1); err != nil {
		return err
	}
	graph.Own(g, g.Indices)
	g.Indices[:c.Indices.Len+1][c.Indices.Len] = graph.None
	limit := uint64(c.NumVertices)
	return parallel.For(c.Job, c.Threads, c.Indices.Len, graph.EdgeChunk, func(lo, hi int) error {
		c.Job.Add(int64(hi - lo))
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			if bad := vertices(c.Indices, lo, g.Indices[lo:end], limit); bad >= 0 {
				return refuseVertex("indices", c.Indices, lo+bad, limit, c.NumVertices)
			}
			if err := c.attributes().checkValues(lo, end); err != nil {
				return err
			}
		}
		return nil
	})
}

// sortRows sorts the rows by (neighbour, position) and returns the original position of each edge, which the caller frees. It
// allocates nothing if all rows are sorted.
func sortRows(g *graph.Graph, threads int, j *job.Job) (at graph.EdgeOrder, err error) {
	// 1. Search for an unsorted row.
	n := g.NumVertices()
	unsorted := make([]bool, (n+graph.VertexChunk-1)/graph.VertexChunk)
	err = parallel.For(j, threads, n, graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi && !unsorted[lo/graph.VertexChunk]; u++ {
			unsorted[lo/graph.VertexChunk] = !slices.IsSorted(g.Neighbors(uint32(u)))
		}
		return nil
	})
	if err != nil || !slices.Contains(unsorted, true) {
		return graph.EdgeOrder{}, err
	}
	// 2. Sort the rows.
	if at, err = graph.MakeEdgeOrder(g.NumEdges(), g.NumEdges()); err != nil {
		return graph.EdgeOrder{}, err
	}
	sorters := make([]rowSorter, parallel.Workers(threads, n, graph.VertexChunk))
	err = parallel.ForWorker(j, threads, n, graph.VertexChunk, func(worker, lo, hi int) error {
		for u := lo; u < hi; u++ {
			if err := sorters[worker].sort(g, uint32(u), at); err != nil {
				return err
			}
		}
		return j.Err()
	})
	for i := range sorters {
		offheap.Free(sorters[i].keys)
	}
	if err != nil {
		at.Free()
		at = graph.EdgeOrder{}
	}
	return at, err
}

// rowSorter sorts rows one at a time. Its keys are neighbour<<32 | index in the row, off the Go heap.
type rowSorter struct{ keys []uint64 }

// radixFrom is the smallest row length for which a radix sort is faster than a comparison sort.
const radixFrom = 1 << 11

// sort sorts row u and stores the original positions of its edges in at.
func (s *rowSorter) sort(g *graph.Graph, u uint32, at graph.EdgeOrder) error {
	first, end := g.Row(u)
	row := g.Indices[first:end]
	keys, err := s.order(row, g.NumEnds())
	if err != nil {
		return err
	}
	for i, k := range keys {
		row[i] = uint32(k >> 32)
		at.Set(int(first)+i, first+uint64(uint32(k)))
	}
	return nil
}

// order returns the keys of a row, sorted. They are valid until the next call. All neighbours are below ends.
func (s *rowSorter) order(row []uint32, ends int) ([]uint64, error) {
	n := len(row)
	if n > len(s.keys)/2 {
		offheap.Free(s.keys)
		var err error
		if s.keys, err = offheap.Make[uint64](2 * max(n, min(2*n, 1<<18))); err != nil {
			s.keys = nil
			return nil, err
		}
	}
	keys := s.keys[:n]
	for i, v := range row {
		keys[i] = uint64(v)<<32 | uint64(i)
	}
	if n < radixFrom {
		slices.Sort(keys)
	} else {
		keys, _ = radixSort(keys, s.keys[n:2*n], bitsFor(ends))
	}
	return keys, nil
}
