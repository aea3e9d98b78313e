// Package persample runs an app one sample at a time and assembles the samples: into a matrix, or into a ragged or layered
// result if their sizes differ. In the latter case, threads first grow samples into pieces, and copy the pieces to the
// result once all sizes are known. The memory of all samples is therefore needed twice for a moment; see budget.
package persample

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

// Grow makes one sample, as App.Sample does: it appends to row, which is empty, and returns it. The caller passes the
// memory of the row to the next call. A Grow serves one thread.
type Grow func(key rng.Key, roots []uint32, row app.Row) app.Row

// GrowMany makes the samples [lo, hi) together and passes each to emit, in order. It stops at the first error of emit. It
// may reuse a row's memory once emit has returned. A GrowMany serves one thread.
type GrowMany func(lo, hi int, emit func(i int, row app.Row) error) error

// Run describes how the samples of a batch are made. Exactly one of Grow and Many is set.
type Run struct {
	Graph   *graph.Graph
	Batch   plan.Batch
	Job     *job.Job
	Threads int
	Chunk   int                      // samples of a piece, which one thread grows
	Grow    func() (Grow, error)     // makes the grower of one thread
	Many    func() (GrowMany, error) // the same for samples that are grown together
}

// New returns the run of a batch on its threads, in pieces that are small enough to keep all threads busy. grow makes the
// grower of one thread.
func New(g *graph.Graph, b plan.Batch, j *job.Job, grow func() (Grow, error)) Run {
	pieces := plan.PiecesPerThread * parallel.Threads(b.Threads)
	return Run{
		Graph: g, Batch: b, Job: j, Threads: b.Threads, Chunk: max(1, min(plan.Group, b.Roots.Samples()/pieces)), Grow: grow,
	}
}

// Definition returns growers that call a's serial definition, App.Sample.
func Definition(a app.App, g *graph.Graph) func() (Grow, error) {
	return func() (Grow, error) {
		return func(key rng.Key, roots []uint32, row app.Row) app.Row { return a.Sample(g, key, roots, row) }, nil
	}
}

// each calls f with every sample i and the number of its piece, from 0. Calls for different pieces are concurrent. If keeps
// is set, f keeps the rows, and each row has separate memory. Otherwise a row is valid until f returns.
func (r Run) each(keeps bool, f func(piece, i int, row app.Row) error) error {
	n := r.Batch.Roots.Samples()
	chunk := max(1, r.Chunk)
	if r.Many != nil {
		return r.eachOfMany(n, chunk, f)
	}
	type state struct { // of one thread
		grow  Grow
		row   app.Row
		guard guard
	}
	states := make([]state, parallel.Workers(r.Threads, n, chunk))
	stream := rng.NewStream(r.Batch.Seed, rng.Choices)
	defer func() {
		for _, s := range states {
			recycle(s.row)
		}
	}()
	return parallel.ForWorker(r.Job, r.Threads, n, chunk, func(worker, lo, hi int) (err error) {
		// 1. The thread's first piece: make its grower.
		s := &states[worker]
		if s.grow == nil {
			if s.grow, err = r.Grow(); err != nil {
				return err
			}
			s.row = pooledRow()
		}
		// 2. Grow and hand over one sample after another. A sample that its guard ended early is discarded.
		scratch := make([]uint32, 1)
		for i := lo; i < hi; i++ {
			id := r.Batch.ID(i)
			s.guard.job = r.Job
			s.row.Watch = &s.guard
			s.row = s.row.Reset(id)
			s.row.Root = r.Batch.Roots.Root(i)
			s.row = s.grow(stream.Key(id), r.Batch.Roots.Of(i, scratch), s.row)
			if err := errors.Join(r.Job.Err(), s.guard.short); err != nil {
				return err
			}
			if err := f(lo/chunk, i, s.row); err != nil {
				return err
			}
			if keeps {
				s.row = pooledRow()
			}
			r.Job.Add(1)
		}
		return nil
	})
}

// eachOfMany is each for samples that are grown together.
func (r Run) eachOfMany(n, chunk int, f func(piece, i int, row app.Row) error) error {
	growers := make([]GrowMany, parallel.Workers(r.Threads, n, chunk))
	return parallel.ForWorker(r.Job, r.Threads, n, chunk, func(worker, lo, hi int) (err error) {
		if growers[worker] == nil {
			if growers[worker], err = r.Many(); err != nil {
				return err
			}
		}
		if err := growers[worker](lo, hi, func(i int, row app.Row) error { return f(lo/chunk, i, row) }); err != nil {
			return err
		}
		r.Job.Add(int64(hi - lo))
		return nil
	})
}

// Matrix writes samples of one width to out.
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

// Ragged returns samples that differ in length, lent from offheap.Results.
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

// Layers returns samples whose steps differ in size, lent from offheap.Results. records adds the links.
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

// pieces grows all samples, into pieces of Chunk samples.
func (r Run) pieces() ([]*piece, error) {
	n, chunk := r.Batch.Roots.Samples(), max(1, r.Chunk)
	all := make([]*piece, (n+chunk-1)/chunk)
	for i := range all {
		all[i] = new(piece)
	}
	// A piece of one sample takes over the row. Larger pieces copy their rows.
	budget, alone := newBudget(), chunk == 1 && r.Many == nil
	if err := budget.begin(); err != nil {
		return nil, err
	}
	err := r.each(alone, func(p, _ int, row app.Row) error {
		if alone {
			*all[p] = piece{row, []count{countOf(row)}}
		} else if err := all[p].add(row); err != nil {
			return err
		}
		return budget.spend(row)
	})
	return all, err
}

// place calls f with every piece and its start in the result, on all threads, and recycles the pieces. On an error it calls
// giveBack, which frees the result.
func (r Run) place(pieces []*piece, f func(at output.Sizes, p *piece), giveBack func()) error {
	// 1. Add up the sizes of the pieces before each.
	starts := make([]output.Sizes, len(pieces))
	for i := range pieces[:max(0, len(pieces)-1)] {
		starts[i+1] = starts[i]
		pieces[i].addTo(&starts[i+1])
	}
	// 2. Copy.
	err := parallel.For(r.Job, r.Threads, len(pieces), 1, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			f(starts[i], pieces[i])
			recycle(pieces[i].all)
		}
		return nil
	})
	if err != nil {
		giveBack()
	}
	return err
}

// edgeID returns the id of the edge at a position, or -1 for graph.NoEdge.
func edgeID(g *graph.Graph, position uint64) int64 {
	if position == graph.NoEdge {
		return -1
	}
	return int64(g.EdgeID(position))
}
