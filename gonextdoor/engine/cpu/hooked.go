package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// hooked is a run of the driver hooked: the one step of an app.Growth for many samples at once, its hooks asked about
// whole columns of choices.
type hooked struct {
	g        *graph.Graph
	grows    *app.Growth
	compiled app.Compiled // zero where the hooks are Go's
	slots    []index.AliasSlot
	batch    plan.Batch
	first    uint64 // the id of the run's row 0: the batch may be a part of the run
	stream   rng.Stream
	job      *job.Job
	width    int // of a whole sample, or 0
	lanes    int // walkers of a sample, or 0
	ends     []int32
}

// hookedRun makes the run of an app that is a Growth.
func hookedRun(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) *hooked {
	h := &hooked{g: g, grows: p.App.(app.Grown).Grows(), batch: b, stream: rng.NewStream(b.Seed, rng.Choices), job: j, width: p.Width}
	if c, ok := p.App.(interface{ Compiled() app.Compiled }); ok {
		h.compiled = c.Compiled()
		h.first = h.compiled.State.Run.First
	}
	if h.grows.Weighted == app.Yes {
		h.slots = index.AliasOf(g)
	}
	h.lanes = h.grows.Lanes(b.Roots.Width)
	if h.lanes > 1 {
		for step := range h.grows.Steps + 1 {
			h.ends = append(h.ends, int32(b.Roots.Width+step*h.lanes))
		}
	}
	return h
}

// hookedMatrix runs samples of one width.
func (e Engine) hookedMatrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	h := hookedRun(p, g, b, j)
	if h.lanes == 0 {
		return h.whole().Matrix(out)
	}
	n := b.Roots.Samples()
	chunk := chunkOf(n, b.Threads, plan.Chunk)
	walkers := make([]*walkers, parallel.Workers(b.Threads, n, chunk))
	return parallel.ForWorker(j, b.Threads, n, chunk, func(worker, lo, hi int) error {
		if walkers[worker] == nil {
			walkers[worker] = newWalkers(h, min(h.group(), hi-lo))
		}
		for w := walkers[worker]; lo < hi; lo += h.group() {
			if err := w.fill(lo, min(lo+h.group(), hi), out); err != nil {
				return err
			}
		}
		return nil
	})
}

// hookedRagged runs samples that differ in length.
func (e Engine) hookedRagged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	return hookedRun(p, g, b, j).whole().Ragged()
}

// hookedLayers runs samples whose steps differ in size.
func (e Engine) hookedLayers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return hookedRun(p, g, b, j).whole().Layers(p.Records)
}

// group gives how many samples are grown together.
func (h *hooked) group() int { return max(1, plan.HookedGroup/max(1, h.lanes)) }

// whole runs samples group by group, and puts them together as whole samples.
func (h *hooked) whole() whole.Run {
	n := h.batch.Roots.Samples()
	pieces := plan.PiecesPerThread * parallel.Threads(h.batch.Threads)
	return whole.Run{
		Graph: h.g, Batch: h.batch, Job: h.job, Threads: h.batch.Threads, Chunk: max(1, min(h.group(), n/pieces)),
		Many: func() (whole.Many, error) {
			if h.lanes > 0 {
				return newWalkers(h, min(h.group(), n)).whole, nil
			}
			if h.grows.VertexBias != nil {
				return h.defined, nil
			}
			return newLevels(h, min(plan.HookedSamples, n)).whole, nil
		},
	}
}

// defined makes samples by their definition: pools that record edges.
func (h *hooked) defined(lo, hi int, emit func(i int, row app.Row) error) error {
	stored := make([]uint32, 1)
	for i := lo; i < hi; i++ {
		if err := h.job.Err(); err != nil {
			return err
		}
		id := h.batch.First + uint64(i)
		if err := emit(i, h.grows.Sample(h.g, h.stream.Key(id), h.batch.Roots.Of(i, stored), app.Row{ID: id})); err != nil {
			return err
		}
	}
	return nil
}
