package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// firstOrder is a run of walks whose choices depend on the current vertex alone.
type firstOrder struct {
	run.Run
	out output.Matrix
	try uint64 // of the word of each step
}

// FirstOrder runs walks of one choice per step, uniformly or by weight. All walkers of a group are at the same step.
func FirstOrder(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, p.App.(app.StaticWeights).Weights())
	if err != nil {
		return err
	}
	f := firstOrder{run.New(t, b, j), out, 0}
	return f.walk()
}

// Uniform runs walks of uniform choices, each by the word of a try of its step.
func Uniform(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, try uint64, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	f := firstOrder{run.New(t, b, j), out, try}
	return f.walk()
}

// walk runs all walks of the batch.
func (f *firstOrder) walk() error {
	b := f.Batch
	chunk := run.ChunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return f.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := f.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group runs the walks of n samples from row on.
func (f *firstOrder) group(w *stage.Walkers, row, n int) error {
	t, out := f.Tables, f.out
	vertices := unsafe.Pointer(&out.Vertices[row*out.Width])
	stride := uintptr(out.Width) * 4
	// 1. Place the walkers at their roots.
	for i := range n {
		w.Key[i], w.Vertex[i] = f.Key(row+i), f.Root(row+i)
		*(*uint32)(unsafe.Add(vertices, uintptr(i)*stride)) = w.Vertex[i]
	}
	t.Prefetch(w.Vertex[:n])
	// 2. Per step: choose an edge, record it if the batch wants edges, follow it.
	for s := range out.Width - 1 {
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := f.Job.Err(); err != nil {
				return err
			}
		}
		t.Choose(w, n, stage.Term(rng.Slot(uint64(s), f.try)))
		if f.Batch.Edges {
			t.Resolve(w, n)
		}
		t.Follow(w, n, unsafe.Add(vertices, (s+1)*4), stride)
		if f.Batch.Edges {
			for i := range n {
				out.Edges[(row+i)*(out.Width-1)+s] = t.ID(w.Edge[i])
			}
		}
	}
	return nil
}
