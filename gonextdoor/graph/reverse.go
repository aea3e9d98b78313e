package graph

import (
	"math"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Reverse gives the graph of the reversed edges: its row v lists the vertices from which an edge leads to v. Edges keep
// their ids, labels, times and weights; since a row has another largest weight now, the biases are made anew from
// Weight, which is exact.
func (g *Graph) Reverse(threads int, j *job.Job) (*Graph, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	n := g.NumVertices()
	a := arrangement{
		edges: reversed{g}, filter: filter{rows: n, all: true}, places: true, targets: n, threads: threads, job: j,
	}
	rows, err := a.run()
	if err != nil {
		return nil, err
	}
	r := rows.graph()
	r.setIDs(rows.places)
	r.Names = g.Names.clone()
	if err := r.carry(g, rows.places, threads, j); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// clone copies names, which may lie in a mapped file that goes with its graph.
func (n Names) clone() Names {
	return Names{append([]int64(nil), n.Ints...), append([]byte(nil), n.Text...), append([]uint64(nil), n.Offsets...)}
}

// reversed is the stream of a graph's edges, each turned round, in the order of their positions.
type reversed struct{ g *Graph }

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

// carry gives r the attributes of g's edges, which lie at positions at.
func (r *Graph) carry(g *Graph, at places, threads int, j *job.Job) (err error) {
	if err = r.summarise(threads, j); err == nil && g.Biases != nil {
		err = r.weigh(j, threads, func(lo int, dst []float64) {
			for i := range dst {
				u := r.Indices[lo+i] // the row it came from
				dst[i] = math.Ldexp(float64(g.Biases[at.of(lo+i)]), int(g.Scales[u]))
			}
		})
	}
	if err == nil && g.Labels != nil {
		r.Labels, err = carryOne(r, g.Labels, at, threads, j)
	}
	if err == nil && g.Times != nil {
		r.Times, err = carryOne(r, g.Times, at, threads, j)
	}
	if err == nil {
		err = r.renumber(g, threads, j)
	}
	return err
}

func carryOne[T number](r *Graph, from []T, at places, threads int, j *job.Job) ([]T, error) {
	out, err := offheap.Make[T](len(from))
	if err != nil {
		return nil, err
	}
	return owned(r, out), parallel.For(j, threads, len(out), edgeChunk, func(lo, hi int) error {
		gather(from, at.from(lo), out[lo:hi])
		return nil
	})
}

// renumber replaces r's ids, which are positions in g, by the ids that the edges have there.
func (r *Graph) renumber(g *Graph, threads int, j *job.Job) error {
	at := places{narrow: r.EdgeIDs, wide: r.EdgeIDs64}
	ids := at
	switch {
	case g.EdgeIDs == nil && g.EdgeIDs64 == nil:
		return nil
	case g.EdgeIDs64 != nil && at.narrow != nil: // few edges with large ids
		wide, err := offheap.Make[uint64](r.NumEdges())
		if err != nil {
			return err
		}
		ids = places{wide: wide}
		r.setIDs(ids)
	}
	return parallel.For(j, threads, r.NumEdges(), edgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			ids.set(i, g.EdgeID(at.of(i)))
		}
		return nil
	})
}
