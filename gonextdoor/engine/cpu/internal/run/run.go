// Package run holds the parts that all drivers of the CPU engine share: the options of the engine, the state of a running
// batch, and the distribution of its samples among threads.
package run

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// StepsPerPoll is the number of steps that a group takes between two checks for cancellation.
const StepsPerPoll = 1024

// Options selects the instructions that a driver may use. They change its speed, never a sampled value.
type Options struct {
	Pure     bool // use portable Go instead of assembly
	NoAVX512 bool // do not use AVX-512
}

// Tables returns the arrays that the stages of a plan read.
func (o Options) Tables(p plan.Plan, g *graph.Graph, weighted app.Weighted) (*stage.Tables, error) {
	return stage.New(g, stage.Options{
		Weighted: weighted == app.Yes, Searched: weighted == app.Computed, Packed: p.Packed, Pure: o.Pure, NoAVX512: o.NoAVX512,
	})
}

// Run is the state of one call of a driver. Its workers share it and do not modify it.
type Run struct {
	Tables *stage.Tables
	Batch  plan.Batch
	Stream rng.Stream // of the keys of samples
	Job    *job.Job   // may be nil
}

// New returns the run of a batch on the tables t.
func New(t *stage.Tables, b plan.Batch, j *job.Job) Run {
	return Run{t, b, rng.NewStream(b.Seed, rng.Choices), j}
}

// Key returns the key of the sample in a row of the batch.
func (r *Run) Key(row int) uint64 { return uint64(r.Stream.Key(r.Batch.ID(row))) }

// Root returns the root of the sample in a row of the batch, for samples of one root.
func (r *Run) Root(row int) uint32 {
	row += r.Batch.Roots.From
	if r.Batch.Roots.Repeat > 1 {
		row /= r.Batch.Roots.Repeat
	}
	if r.Batch.Roots.Vertices == nil {
		return uint32(row)
	}
	return r.Batch.Roots.Vertices[row]
}

// groups keeps groups of walkers between runs, since clearing one (24 KiB) takes a tenth of the time of allocating it.
var groups = sync.Pool{New: func() any { return new(stage.Walkers) }}

// Each calls f with consecutive pieces [lo, hi) of the batch's rows, of chunk rows each, on the batch's threads. f may use the
// group of walkers w, one per thread, until it returns. Each adds finished rows to the job. It returns the first error of f,
// or an error if the job is cancelled.
func (r *Run) Each(chunk int, f func(w *stage.Walkers, lo, hi int) error) error {
	n := r.Batch.Roots.Samples()
	if n > 0 && n <= chunk {
		return r.one(n, f)
	}
	walkers := make([]*stage.Walkers, parallel.Workers(r.Batch.Threads, n, chunk))
	defer func() {
		for _, w := range walkers {
			if w != nil {
				groups.Put(w)
			}
		}
	}()
	return parallel.ForWorker(r.Job, r.Batch.Threads, n, chunk, func(worker, lo, hi int) error {
		if walkers[worker] == nil {
			walkers[worker] = groups.Get().(*stage.Walkers)
			*walkers[worker] = stage.Walkers{} // remove indices into the arrays of another graph
		}
		err := f(walkers[worker], lo, hi)
		if err == nil {
			r.Job.Add(int64(hi - lo))
		}
		return err
	})
}

// one is Each for n rows that are one piece: in the calling goroutine, without an allocation.
func (r *Run) one(n int, f func(w *stage.Walkers, lo, hi int) error) error {
	if err := r.Job.Err(); err != nil {
		return err
	}
	w := groups.Get().(*stage.Walkers)
	*w = stage.Walkers{}
	err := parallel.Guard(func() error { return f(w, 0, n) })
	groups.Put(w)
	if err == nil {
		r.Job.Add(int64(n))
	}
	return err
}

// ChunkOf returns the number of rows, of n, that a thread takes at a time: at most most, and few enough that all threads
// finish at about the same time.
func ChunkOf(n, threads, most int) int {
	const piecesPerThread = 4
	return max(plan.Group, min(most, n/(parallel.Threads(threads)*piecesPerThread)))
}
