package build

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Reverse returns the graph of the reversed edges: its row v lists the vertices that have an edge to v. Edges keep their ids,
// labels, times and weights, and what these stand for. The biases are computed again from Weight, which is exact, because the largest weight of each row
// changes. The caller must Close the graph, which shares no memory with g.
func Reverse(g *graph.Graph, threads int, j *job.Job) (*graph.Graph, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	n := g.NumVertices()
	a := arrangement{
		edges: reversed{g}, filter: filter{rows: n, all: true}, order: true, targets: n, threads: threads, job: j,
	}
	rows, err := a.run()
	if err != nil {
		return nil, err
	}
	r := rows.graph()
	setIDs(r, rows.order)
	r.Names, r.TimeUnit, r.LabelNames = clone(g.Names), g.TimeUnit, slices.Clone(g.LabelNames)
	if err := copyAttributes(r, g, rows.order, threads, j); err != nil {
		r.Close()
		return nil, err
	}
	if g.NoEdgeIDs {
		r.EdgeIDs, r.EdgeIDs64, r.NoEdgeIDs = nil, nil, true
	}
	return r, nil
}

// clone copies names, since they may be in a mapped file that is closed with its graph.
func clone(n graph.Names) graph.Names {
	return graph.Names{Ints: slices.Clone(n.Ints), Text: slices.Clone(n.Text), Offsets: slices.Clone(n.Offsets)}
}

// reversed is the stream of the reversed edges of a graph, by position.
type reversed struct{ g *graph.Graph }

func (r reversed) free() {}

func (r reversed) len() int { return r.g.NumEdges() }

func (r reversed) read(lo int, src, dst []uint32) {
	copy(src, r.g.Indices[lo:])
	u := r.g.Source(uint64(lo))
	for i := range dst {
		for uint64(lo+i) >= r.g.Indptr[u+1] {
			u++
		}
		dst[i] = u
	}
}

// copyAttributes sets the attributes of r to those of the edges of g; at maps edges of r to positions in g.
func copyAttributes(r *graph.Graph, g *graph.Graph, at graph.EdgeOrder, threads int, j *job.Job) (err error) {
	if err = r.Summarize(threads, j); err == nil && g.Biases != nil {
		err = weigh(r, j, threads, func(lo int, dst []float64) {
			for i := range dst {
				u := r.Indices[lo+i] // the row of the edge in g
				dst[i] = math.Ldexp(float64(g.Biases[at.At(lo+i)]), int(g.Scales[u]))
			}
		})
	}
	if err == nil && g.Labels != nil {
		r.Labels, err = copyAttribute(r, g.Labels, at, threads, j)
	}
	if err == nil && g.Times != nil {
		r.Times, err = copyAttribute(r, g.Times, at, threads, j)
	}
	if err == nil && !g.NoEdgeIDs {
		err = renumber(r, g, threads, j)
	}
	return err
}

// copyAttribute returns a copy of an array of g in the order of at, which r owns.
func copyAttribute[T graph.Number](r *graph.Graph, from []T, at graph.EdgeOrder, threads int, j *job.Job) ([]T, error) {
	out, err := offheap.Make[T](len(from))
	if err != nil {
		return nil, err
	}
	return graph.Own(r, out), parallel.For(j, threads, len(out), graph.EdgeChunk, func(lo, hi int) error {
		gather(from, at.From(lo), out[lo:hi])
		return nil
	})
}

// renumber replaces the ids of r, which are positions in g, by the edge ids of g.
func renumber(r *graph.Graph, g *graph.Graph, threads int, j *job.Job) error {
	at := graph.EdgeOrder{Narrow: r.EdgeIDs, Wide: r.EdgeIDs64}
	ids := at
	switch {
	case g.EdgeIDs == nil && g.EdgeIDs64 == nil:
		return nil
	case g.EdgeIDs64 != nil && at.Narrow != nil: // positions fit in 32 bits, but the ids of g do not
		wide, err := offheap.Make[uint64](r.NumEdges())
		if err != nil {
			return err
		}
		ids = graph.EdgeOrder{Wide: wide}
		setIDs(r, ids)
	}
	return parallel.For(j, threads, r.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			ids.Set(i, g.EdgeID(at.At(i)))
		}
		return nil
	})
}
