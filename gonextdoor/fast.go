package gonextdoor

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// fast is the engine of this machine's processors: until there is a fast one, the apps' own definitions.
var fast engine.Engine = direct{}

type direct struct{}

func (direct) Name() string { return "direct" }

func (direct) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	return rows(p, g, b, j, func(i int, row app.Row) {
		copy(out.Vertices[i*out.Width:][:out.Width], row.Vertices)
		for k, position := range row.Edges {
			if b.Edges {
				out.Edges[i*len(row.Edges)+k] = id(g, position)
			}
		}
	})
}

func (direct) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (r output.Ragged, err error) {
	offsets, vertices, edges := []int64{0}, []uint32{}, []int64{}
	b.Threads = 1
	err = rows(p, g, b, j, func(_ int, row app.Row) {
		vertices = append(vertices, row.Vertices...)
		offsets = append(offsets, int64(len(vertices)))
		edges = append(edges, -1)
		for _, position := range row.Edges {
			edges = append(edges, id(g, position))
		}
	})
	if err == nil {
		r.Offsets, err = lent(offsets)
	}
	if err == nil {
		r.Vertices, err = lent(vertices)
	}
	if err == nil && b.Edges {
		r.Edges, err = lent(edges)
	}
	return r, err
}

func lent[T any](s []T) ([]T, error) {
	block, err := offheap.Results.Lend(int64(len(s)) * int64(unsafe.Sizeof(*new(T))))
	if err != nil {
		return nil, err
	}
	to := unsafe.Slice((*T)(block), len(s))
	copy(to, s)
	return to, nil
}

func rows(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job, f func(i int, row app.Row)) error {
	stream := rng.NewStream(b.Seed, rng.Choices)
	return parallel.For(j, b.Threads, b.Roots.Samples(), plan.Group, func(lo, hi int) error {
		var row app.Row
		for i := lo; i < hi; i++ {
			row = app.Row{Vertices: row.Vertices[:0], Edges: row.Edges[:0]}
			row = p.App.Sample(g, stream.Key(b.First+uint64(i)), b.Roots.Of(i, make([]uint32, 1)), row)
			f(i, row)
		}
		j.Add(int64(hi - lo))
		return nil
	})
}

func id(g *graph.Graph, position uint64) int64 {
	if position == graph.NoEdge {
		return -1
	}
	return int64(g.EdgeID(position))
}
