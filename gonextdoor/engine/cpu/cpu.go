// Package cpu is the engine for ordinary processors: groups of walkers in step, whose waits for memory overlap.
//
// One file holds one driver. The inner loops are package stage's.
package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Engine runs plans on the threads of this machine. Its zero value is ready.
type Engine struct {
	Pure   bool // without assembly, for tests: nothing else changes
	Narrow bool // without AVX-512, likewise
}

// Name is "cpu".
func (Engine) Name() string { return "cpu" }

// Matrix runs an app whose samples have one width, into out.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return err
	}
	switch p.Driver {
	case plan.Walk:
		return e.walk(p, g, b, out, j)
	case plan.SecondOrder:
		return e.secondOrder(p, g, b, out, j)
	case plan.Tree:
		return tree(p, g, b, out, j)
	case plan.Metropolis:
		return e.metropolis(p, g, b, out, j)
	case plan.Leaping:
		return e.leaping(p, g, b, out, j)
	case plan.Labelled:
		return e.labelled(p, g, b, out, j)
	case plan.Frontier:
		return e.frontier(p, g, b, out, j)
	case plan.Computed:
		return e.computedMatrix(p, g, b, out, j)
	case plan.Hooked:
		return e.hookedMatrix(p, g, b, out, j)
	default:
		return bySample(p, g, b, j).Matrix(out)
	}
}

// Ragged runs an app whose samples differ in length.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return output.Ragged{}, err
	}
	switch p.Driver {
	case plan.StoppedWalk:
		return e.stoppedWalk(p, g, b, j)
	case plan.Computed:
		return e.computedRagged(p, g, b, j)
	case plan.Hooked:
		return e.hookedRagged(p, g, b, j)
	default:
		return bySample(p, g, b, j).Ragged()
	}
}

// Layers runs an app whose samples are layered.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return output.Layers{}, err
	}
	if p.Driver == plan.Hooked {
		return e.hookedLayers(p, g, b, j)
	}
	return bySample(p, g, b, j).Layers(p.Records)
}

// tables gives the arrays that the stages of a plan read.
func (e Engine) tables(p plan.Plan, g *graph.Graph, weighted app.Weighted) (*stage.Tables, error) {
	return stage.New(g, stage.Options{Weighted: weighted == app.Yes, Packed: p.Packed, Pure: e.Pure, Narrow: e.Narrow})
}

// run is what all drivers' workers share.
type run struct {
	tables *stage.Tables
	batch  plan.Batch
	stream rng.Stream
	job    *job.Job
}

func newRun(t *stage.Tables, b plan.Batch, j *job.Job) run {
	return run{t, b, rng.NewStream(b.Seed, rng.Choices), j}
}

// key gives the key of a row.
func (r *run) key(row int) uint64 { return uint64(r.stream.Key(r.batch.First + uint64(row))) }

// root gives the root of a row.
func (r *run) root(row int) uint32 {
	if r.batch.Roots.Repeat > 1 {
		row /= r.batch.Roots.Repeat
	}
	if r.batch.Roots.Vertices == nil {
		return uint32(row)
	}
	return r.batch.Roots.Vertices[row]
}

// each calls f with consecutive pieces of the batch's rows, a worker at a time having a group of walkers of its own.
func (r *run) each(chunk int, f func(w *stage.Walkers, lo, hi int) error) error {
	n := r.batch.Roots.Samples()
	walkers := make([]*stage.Walkers, parallel.Workers(r.batch.Threads, n, chunk))
	return parallel.ForWorker(r.job, r.batch.Threads, n, chunk, func(worker, lo, hi int) error {
		if walkers[worker] == nil {
			walkers[worker] = new(stage.Walkers)
		}
		err := f(walkers[worker], lo, hi)
		if err == nil {
			r.job.Add(int64(hi - lo))
		}
		return err
	})
}

// chunkOf gives how many of n rows a thread takes at a time: no more than most, and few enough that no thread is left
// without work for long.
func chunkOf(n, threads, most int) int {
	const piecesPerThread = 4
	return max(plan.Group, min(most, n/(parallel.Threads(threads)*piecesPerThread)))
}
