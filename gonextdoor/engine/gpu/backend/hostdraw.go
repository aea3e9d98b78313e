package backend

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// The CPU makes the samples of a plan if the graph exceeds the memory that graphs may take, and the plan runs neither part by part
// nor row by row on the GPU, or is expected to take longer there (plan.Batch.Beyond), or longer on a graph that is split over GPUs
// (plan.Batch.Split). The samples are the same, and those that stay on the GPU are copied there.

// Exceeds returns why the CPU makes the samples of a plan for GPU id, or nil.
func (c CUDA) Exceeds(p plan.Plan, id int, edges bool) (why, err error) {
	d, err := cuda.Open(id)
	if err != nil || c.Host == nil {
		return nil, err
	}
	return gpu.Engine{Device: d}.Exceeds(p, edges), nil
}

// Matrix makes samples of one width and copies them to the host.
func (d device) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	_, err := either(d, p, b, func() (none, error) {
		return none{}, d.Engine.Matrix(p, g, b, out, j)
	}, func(b plan.Batch) (none, error) {
		return none{}, d.host.Matrix(p, g, b, out, j)
	})
	return err
}

// Ragged makes samples that differ in length and copies them to the host.
func (d device) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	return either(d, p, b, func() (output.Ragged, error) { return d.Engine.Ragged(p, g, b, j) },
		func(b plan.Batch) (output.Ragged, error) { return d.host.Ragged(p, g, b, j) })
}

// Layers makes layered samples and copies them to the host.
func (d device) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	return either(d, p, b, func() (output.Layers, error) { return d.Engine.Layers(p, g, b, j) },
		func(b plan.Batch) (output.Layers, error) { return d.host.Layers(p, g, b, j) })
}

// Scores counts the visits of personalised PageRank, which the CPU does if the graph exceeds the GPU's memory.
func (d device) Scores(s plan.Scores, j *job.Job) (output.Scores, error) {
	r, err := d.Engine.Scores(s, j)
	if d.host == nil || !errors.Is(err, resident.ErrRoom) {
		return r, err
	}
	if s.App.Weighs(s.Graph) {
		if err := index.BuildAlias(s.Graph, graph.Options{Threads: s.Threads, Job: j}); err != nil {
			return r, err
		}
	}
	r, err = d.host.Scores(s, j)
	r.FromHost = true
	return r, err
}

// none is a result without a value.
type none struct{}

// either returns the result of here, which runs on the GPU, or that of there, which the CPU runs on roots in host memory: if the
// graph exceeds the GPU's memory or is split, and the GPU cannot run the plan or would take longer. The GPU runs what the host's memory is too
// small for.
func either[T any](d device, p plan.Plan, b plan.Batch, here func() (T, error), there func(b plan.Batch) (T, error)) (result T, err error) {
	slower := d.slower(p, b)
	if err = d.exceeded(p, b); err == nil && !slower {
		if result, err = here(); !errors.Is(err, resident.ErrRoom) {
			return result, err
		}
	}
	if d.host == nil || !runsOnHost(p) {
		return result, err
	}
	setFromHost(b, true)
	onHost, err := d.onHost(p, b)
	if err == nil {
		result, err = there(onHost)
	}
	if slower && refuse.KindOf(err) == refuse.KindMemory {
		setFromHost(b, false)
		return here()
	}
	return result, err
}

// setFromHost reports whether the CPU makes the samples of a batch.
func setFromHost(b plan.Batch, is bool) {
	if b.FromHost != nil {
		b.FromHost.Store(is)
	}
}

// slower reports whether the GPU could make the samples of a batch, but is expected to take longer than the CPU, because the graph
// exceeds its memory, or is split over several GPUs.
func (d device) slower(p plan.Plan, b plan.Batch) bool {
	if d.host == nil || b.Order != "" || !runsOnHost(p) {
		return false
	}
	if _, placed := resident.PlacementOf(p.Graph); placed {
		return !b.Split(p).GPU
	}
	if !d.RunsInParts(p) {
		return false
	}
	parts, err := d.PlanParts(p, b.Edges)
	return err == nil && parts.Count > 0 && !b.Beyond(p, parts).GPU
}

// exceeded returns why the CPU has to make the samples of a batch. If it returns nil, there may be too little memory all the same:
// other programs use the GPU too.
func (d device) exceeded(p plan.Plan, b plan.Batch) error {
	if d.host == nil || d.RunsInParts(p) {
		return nil
	}
	return d.Exceeds(p, b.Edges)
}

// FromHost reports whether the CPU makes the samples of a batch, unless its memory is too small.
func (d device) FromHost(p plan.Plan, b plan.Batch) bool {
	return d.host != nil && runsOnHost(p) && (d.exceeded(p, b) != nil || d.slower(p, b))
}

var _ engine.Hosted = device{}

// runsOnHost reports whether the CPU can run a plan: its hooks, if it has any, are compiled for the CPU too.
func runsOnHost(p plan.Plan) bool {
	a, ok := p.App.(program.GPUHooked)
	return !ok || a.CPUCompiled()
}

// onHost returns the batch with its roots in host memory.
func (d device) onHost(p plan.Plan, b plan.Batch) (plan.Batch, error) {
	r := &b.Roots
	if r.OnDevice == 0 && !r.Drawn || b.Roots.Samples() == 0 {
		return b, nil
	}
	// 1. Count the roots from that of the first row.
	if r.To == 0 {
		r.To = r.Samples()
	}
	first := r.From / r.Repeat
	id := b.First - uint64(r.From) + uint64(first*r.Repeat) // of the first sample of the first root
	at := r.OnDevice + uintptr(4*first*r.Width)
	r.Count = (r.To-1)/r.Repeat + 1 - first
	r.From, r.To = r.From-first*r.Repeat, r.To-first*r.Repeat
	r.Vertices, r.OnDevice = make([]uint32, r.Count*r.Width), 0
	// 2. Draw them, or copy them.
	if r.Drawn {
		r.Drawn = false
		return b, graph.FillRoots(p.Graph, r.Vertices, b.Seed, id, r.Repeat, r.Width, nil)
	}
	return b, d.Device.Do(func() error {
		s, err := resultStream(d.Device)
		if err != nil || len(r.Vertices) == 0 {
			return err
		}
		to := unsafe.Pointer(unsafe.SliceData(r.Vertices))
		return errors.Join(d.Device.CopyOut(to, at, int64(4*len(r.Vertices)), *s), s.Synchronize())
	})
}

// Sweeps reports whether a call of Matrix reads all of the graph.
func (d device) Sweeps(p plan.Plan, g *graph.Graph, b plan.Batch) bool {
	return d.exceeded(p, b) == nil && !d.slower(p, b) && d.Engine.Sweeps(p, g, b)
}

var _ engine.Sweeper = device{}
