// Package growth runs step programs (program.StepProgram) on the CPU: the apps that are described by data and hooks instead of a
// loop in the engine, users' apps among them.
//
// Samples are grown in groups. All choices of a step are stored as columns, and a hook is called once for a whole column;
// a compiled hook therefore costs one C call per group and step instead of one per choice. Groups also let the memory
// accesses of many samples overlap.
//
// Type walkers runs the programs in which each transit makes one pick (walks). Type levelExpansion runs all others:
// several picks per transit, collective choices, unique vertices. Both use the random words of the serial definition,
// program.StepProgram.Sample, and return the same samples.
//
// Every worker has its own walkers or levelExpansion, with the parts that these are composed of: hookCaller calls hooks on
// columns; chooser, biasedChooser and selection select edges; rowBatch and weigher compute the biases of whole rows; trace
// and sampleState record picks. The workers share one programRun, which they only read.
package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// Matrix runs a program whose samples have a fixed width, and writes them to out.
func Matrix(_ run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	r := newRun(p, g, b, j)
	if r.lanes == 0 {
		return r.perSample().Matrix(out)
	}
	samples, group := b.Roots.Samples(), r.groupSize()
	chunk := run.ChunkOf(samples, b.Threads, plan.Chunk)
	workers := make([]*walkers, parallel.Workers(b.Threads, samples, chunk))
	return parallel.ForWorker(j, b.Threads, samples, chunk, func(worker, lo, hi int) error {
		if workers[worker] == nil {
			workers[worker] = newWalkers(r, min(group, hi-lo))
		}
		for ; lo < hi; lo += group {
			if err := workers[worker].fillMatrix(lo, min(lo+group, hi), out); err != nil {
				return err
			}
		}
		return nil
	})
}

// Ragged runs a program whose samples are walks of different lengths.
func Ragged(_ run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	return newRun(p, g, b, j).perSample().Ragged()
}

// Layers runs a program whose steps differ in size, or that records edges between sampled vertices.
func Layers(_ run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return newRun(p, g, b, j).perSample().Layers(p.Records)
}

// perSample returns a runner that grows samples in groups and assembles the result sample by sample.
func (r *programRun) perSample() persample.Run {
	samples := r.batch.Roots.Samples()
	pieces := plan.PiecesPerThread * parallel.Threads(r.batch.Threads)
	return persample.Run{
		Graph: r.graph, Batch: r.batch, Job: r.job, Threads: r.batch.Threads,
		Chunk: max(1, min(r.groupSize(), samples/pieces)),
		Many: func() (persample.GrowMany, error) {
			switch {
			case r.lanes > 0:
				return newWalkers(r, min(r.groupSize(), samples)).emitSamples, nil
			case r.program.VertexBias != nil: // pools of programs that record edges have no fast form
				return r.serialSamples, nil
			default:
				return newLevelExpansion(r, min(plan.HookedSamples, samples)).emitSamples, nil
			}
		},
	}
}

// serialSamples samples rows [lo, hi) by the serial definition.
func (r *programRun) serialSamples(lo, hi int, emit func(i int, row app.Row) error) error {
	rootBuffer := make([]uint32, 1)
	for i := lo; i < hi; i++ {
		if err := r.job.Err(); err != nil {
			return err
		}
		id := r.batch.First + uint64(i)
		row := r.program.Sample(r.graph, r.stream.Key(id), r.batch.Roots.Of(i, rootBuffer), app.Row{ID: id})
		if err := emit(i, row); err != nil {
			return err
		}
	}
	return nil
}
