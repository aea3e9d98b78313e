package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// RowPlacer builds a graph, or some rows of one, from arcs in the order of a stream whose rows a RowCounter counted. It takes
// the memory of the result. It is used by one goroutine; call Free or Finish at the end.
type RowPlacer struct {
	g    *graph.Graph
	ids  graph.EdgeOrder
	next []uint64  // the position of the next arc of each row
	max  []float64 // the largest weight of each row
}

// NewRowPlacer returns a placer for the rows of some vertices, or of all if vertices is nil.
func NewRowPlacer(c *RowCounter, vertices []uint32) (p *RowPlacer, err error) {
	p = &RowPlacer{g: &graph.Graph{}}
	defer func() {
		if err != nil {
			p.Free()
			p = nil
		}
	}()
	n := len(vertices)
	if vertices == nil {
		n = c.NumVertices()
	} else {
		p.g.Ends = c.NumVertices()
	}
	vertex := func(row int) uint32 {
		if vertices == nil {
			return uint32(row)
		}
		return vertices[row]
	}
	if p.g.Indptr, err = offheap.Make[uint64](n + 1); err != nil {
		return p, err
	}
	graph.Own(p.g, p.g.Indptr)
	for row := range n {
		p.g.Indptr[row+1] = p.g.Indptr[row] + uint64(c.Degrees[vertex(row)])
	}
	if p.next, err = offheap.Make[uint64](n); err != nil {
		return p, err
	}
	copy(p.next, p.g.Indptr)
	if err := p.allocate(c); err != nil {
		return p, err
	}
	if c.Largest != nil {
		p.max = make([]float64, n)
		for row := range n {
			p.max[row] = c.Largest[vertex(row)]
		}
	}
	return p, nil
}

// allocate allocates the arrays of edges.
func (p *RowPlacer) allocate(c *RowCounter) (err error) {
	g, n := p.g, p.g.NumVertices()
	m := int(g.Indptr[n])
	if g.Indices, err = offheap.MakeSlack[uint32](m, 1); err != nil {
		return err
	}
	graph.Own(g, g.Indices)
	g.Indices[:m+1][m] = graph.None
	if p.ids, err = graph.MakeEdgeOrder(m, int(c.Edges)); err != nil {
		return err
	}
	if c.Largest != nil {
		if g.Biases, err = offheap.Make[uint32](m); err != nil {
			return err
		}
		graph.Own(g, g.Biases)
		if g.Scales, err = offheap.Make[int16](n); err != nil {
			return err
		}
		graph.Own(g, g.Scales)
	}
	if c.Labelled {
		if g.Labels, err = offheap.Make[int32](m); err != nil {
			return err
		}
		graph.Own(g, g.Labels)
	}
	if c.Timed {
		if g.Times, err = offheap.Make[int64](m); err != nil {
			return err
		}
		graph.Own(g, g.Times)
	}
	return nil
}

// Free frees the memory of a placer that is not finished.
func (p *RowPlacer) Free() {
	offheap.Free(p.next)
	p.ids.Free()
	p.g.Close()
}

// Place adds arcs, whose rows are those of the result.
func (p *RowPlacer) Place(l *ArcList) error {
	for i, row := range l.Rows {
		if int(row) >= len(p.next) || p.next[row] == p.g.Indptr[row+1] {
			return refuseSecondPass()
		}
		at := p.next[row]
		p.next[row]++
		p.g.Indices[at] = l.Targets[i]
		p.ids.Set(int(at), l.IDs[i])
		if p.max != nil {
			weight, largest := l.Weights[i], p.max[row]
			if !(weight >= 0 && weight <= largest) {
				return refuseSecondPass()
			}
			if largest > 0 {
				unit := graph.UnitOf(largest)
				p.g.Scales[row], p.g.Biases[at] = unit.Scale, unit.Bias(weight)
			}
		}
		if p.g.Labels != nil {
			p.g.Labels[at] = l.Labels[i]
		}
		if p.g.Times != nil {
			p.g.Times[at] = l.Times[i]
		}
	}
	return nil
}

// Finish sorts the rows and returns the graph, which the caller must Close. Ids are listed unless they are the positions; if
// listed is true, they always are. The placer is of no further use, also after an error.
func (p *RowPlacer) Finish(listed bool, threads int, j *job.Job) (*graph.Graph, error) {
	err := p.finish(threads, j)
	offheap.Free(p.next)
	if err != nil {
		p.ids.Free()
		p.g.Close()
		return nil, err
	}
	if !listed && p.ids.InOrder(p.g.NumEdges()) {
		p.ids.Free()
	} else {
		setIDs(p.g, p.ids)
	}
	return p.g, nil
}

// finish sorts the rows and summarizes the graph.
func (p *RowPlacer) finish(threads int, j *job.Job) error {
	for row, at := range p.next {
		if at != p.g.Indptr[row+1] {
			return refuseSecondPass()
		}
	}
	n := p.g.NumVertices()
	sorters := make([]placedSorter, parallel.Workers(threads, n, graph.VertexChunk))
	err := parallel.ForWorker(j, threads, n, graph.VertexChunk, func(worker, lo, hi int) error {
		for row := lo; row < hi; row++ {
			if err := sorters[worker].sort(p, uint32(row)); err != nil {
				return err
			}
		}
		return j.Err()
	})
	for i := range sorters {
		offheap.Free(sorters[i].keys)
	}
	if err != nil {
		return err
	}
	return p.g.Summarize(threads, j)
}

// placedSorter sorts rows with their attributes, one at a time. It belongs to one worker.
type placedSorter struct {
	rowSorter
	wide []uint64
}

// sort sorts a row by (neighbour, order of placement), and rejects a row of weights whose sum is infinite.
func (s *placedSorter) sort(p *RowPlacer, row uint32) error {
	first, end := p.g.Row(row)
	if p.max != nil && math.IsInf(math.Ldexp(float64(end-first)*(1<<32), int(p.g.Scales[row])), 1) {
		sum := 0.0
		for _, b := range p.g.Biases[first:end] {
			sum += float64(b)
		}
		if math.IsInf(math.Ldexp(sum, int(p.g.Scales[row])), 1) {
			return refuse.Value("weights: the sum of the weights of a vertex exceeds %g", math.MaxFloat64)
		}
	}
	neighbors := p.g.Indices[first:end]
	if isSorted(neighbors) {
		return nil
	}
	keys, err := s.order(neighbors, p.g.NumEnds())
	if err != nil {
		return err
	}
	for i, k := range keys {
		neighbors[i] = uint32(k >> 32)
	}
	if p.ids.Narrow != nil {
		permute(s, p.ids.Narrow[first:end], keys)
	} else {
		permute(s, p.ids.Wide[first:end], keys)
	}
	if p.g.Biases != nil {
		permute(s, p.g.Biases[first:end], keys)
	}
	if p.g.Labels != nil {
		permute(s, p.g.Labels[first:end], keys)
	}
	if p.g.Times != nil {
		permute(s, p.g.Times[first:end], keys)
	}
	return nil
}

// isSorted reports whether a row is in ascending order.
func isSorted(row []uint32) bool {
	for i := 1; i < len(row); i++ {
		if row[i] < row[i-1] {
			return false
		}
	}
	return true
}

// permute moves element uint32(keys[i]) of an attribute to i.
func permute[T uint32 | uint64 | int32 | int64](s *placedSorter, values []T, keys []uint64) {
	if len(s.wide) < len(values) {
		s.wide = make([]uint64, max(len(values), 1<<10))
	}
	for i, x := range values {
		s.wide[i] = uint64(x)
	}
	for i, k := range keys {
		values[i] = T(s.wide[uint32(k)])
	}
}
