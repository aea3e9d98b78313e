// Package whole runs an app sample by sample and puts the whole samples together: into a matrix, or into results whose
// samples differ in size.
package whole

import (
	"errors"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Grow makes one sample, as App.Sample does. It may keep row's memory for the next.
type Grow func(key rng.Key, roots []uint32, row app.Row) app.Row

// Many makes the samples [lo, hi) and hands each to emit, in order. It may use their memory again once they are handed over.
type Many func(lo, hi int, emit func(i int, row app.Row) error) error

// Run is how a batch of samples is made.
type Run struct {
	Graph   *graph.Graph
	Batch   plan.Batch
	Job     *job.Job
	Threads int
	Chunk   int                  // samples that a worker takes at a time
	Grow    func() (Grow, error) // what each worker grows with
	Many    func() (Many, error) // stands in for Grow where samples are grown together
}

// each calls f with every sample; the pieces that the samples are cut into are numbered from 0. Where f takes the rows,
// each has memory of its own.
func (r Run) each(takes bool, f func(piece, i int, row app.Row) error) error {
	n := r.Batch.Roots.Samples()
	chunk := max(1, r.Chunk)
	if r.Many != nil {
		return r.eachOfMany(n, chunk, f)
	}
	type hand struct {
		grow  Grow
		row   app.Row
		watch watch
	}
	hands := make([]hand, parallel.Workers(r.Threads, n, chunk))
	stream := rng.NewStream(r.Batch.Seed, rng.Choices)
	defer func() {
		for _, h := range hands {
			keep(h.row)
		}
	}()
	return parallel.ForWorker(r.Job, r.Threads, n, chunk, func(worker, lo, hi int) (err error) {
		h := &hands[worker]
		if h.grow == nil {
			if h.grow, err = r.Grow(); err != nil {
				return err
			}
			h.row = keptRow()
		}
		scratch := make([]uint32, 1)
		for i := lo; i < hi; i++ {
			id := r.Batch.First + uint64(i)
			h.watch.job = r.Job
			h.row.Watch = &h.watch
			h.row = h.grow(stream.Key(id), r.Batch.Roots.Of(i, scratch), h.row.Reset(id))
			if err := errors.Join(r.Job.Err(), h.watch.short); err != nil {
				return err
			}
			if err := f(lo/chunk, i, h.row); err != nil {
				return err
			}
			if takes {
				h.row = keptRow()
			}
			r.Job.Add(1)
		}
		return nil
	})
}

// eachOfMany is each for samples that are grown together.
func (r Run) eachOfMany(n, chunk int, f func(piece, i int, row app.Row) error) error {
	hands := make([]Many, parallel.Workers(r.Threads, n, chunk))
	return parallel.ForWorker(r.Job, r.Threads, n, chunk, func(worker, lo, hi int) (err error) {
		if hands[worker] == nil {
			if hands[worker], err = r.Many(); err != nil {
				return err
			}
		}
		if err := hands[worker](lo, hi, func(i int, row app.Row) error { return f(lo/chunk, i, row) }); err != nil {
			return err
		}
		r.Job.Add(int64(hi - lo))
		return nil
	})
}

// Matrix fills out.
func (r Run) Matrix(out output.Matrix) error {
	return r.each(false, func(_, i int, row app.Row) error {
		copy(out.Vertices[i*out.Width:][:out.Width], row.Vertices)
		if r.Batch.Edges {
			for k, position := range row.Edges {
				out.Edges[i*len(row.Edges)+k] = edgeID(r.Graph, position)
			}
		}
		return nil
	})
}

// Ragged gives samples that differ in length.
func (r Run) Ragged() (output.Ragged, error) {
	pieces, err := r.pieces()
	if err != nil {
		return output.Ragged{}, err
	}
	n := sizes(pieces)
	out, err := output.LendRagged(n.Rows, n.Vertices, r.Batch.Edges)
	if err != nil {
		return out, err
	}
	out.Offsets[n.Rows] = int64(n.Vertices)
	return out, r.place(pieces, func(at output.Sizes, p *piece) { p.ragged(r, at, out) }, out.Return)
}

// Layers gives samples whose steps differ in size.
func (r Run) Layers(records bool) (output.Layers, error) {
	pieces, err := r.pieces()
	if err != nil {
		return output.Layers{}, err
	}
	n := sizes(pieces)
	n.Edges, n.Record = r.Batch.Edges, records
	out, err := output.LendLayers(n)
	if err != nil {
		return out, err
	}
	out.Offsets[n.Rows], out.EndsFrom[n.Rows] = int64(n.Vertices), int64(n.Ends)
	if records {
		out.LinksFrom[n.Rows] = int64(n.Links)
	}
	return out, r.place(pieces, func(at output.Sizes, p *piece) { p.layers(r, at, out) }, out.Return)
}

// pieces grows all samples.
func (r Run) pieces() ([]*piece, error) {
	n, chunk := r.Batch.Roots.Samples(), max(1, r.Chunk)
	all := make([]*piece, (n+chunk-1)/chunk)
	for i := range all {
		all[i] = new(piece)
	}
	room, alone := newRoom(), chunk == 1 && r.Many == nil
	if err := room.begin(); err != nil {
		return nil, err
	}
	err := r.each(alone, func(p, _ int, row app.Row) error {
		if alone {
			*all[p] = piece{row, []count{countOf(row)}}
		} else if err := all[p].add(row); err != nil {
			return err
		}
		return room.take(row)
	})
	return all, err
}

// place copies every piece to where it begins in the result; on an error the result is given back.
func (r Run) place(pieces []*piece, f func(at output.Sizes, p *piece), giveBack func()) error {
	starts := make([]output.Sizes, len(pieces))
	for i := range pieces[:max(0, len(pieces)-1)] {
		starts[i+1] = starts[i]
		pieces[i].addTo(&starts[i+1])
	}
	err := parallel.For(r.Job, r.Threads, len(pieces), 1, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			f(starts[i], pieces[i])
			keep(pieces[i].all)
		}
		return nil
	})
	if err != nil {
		giveBack()
	}
	return err
}

// edgeID is the id of the edge at a position as results have it: -1 where there is none.
func edgeID(g *graph.Graph, position uint64) int64 {
	if position == graph.NoEdge {
		return -1
	}
	return int64(g.EdgeID(position))
}
