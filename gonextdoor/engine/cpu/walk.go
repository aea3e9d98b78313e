package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// stepsPerLook is how many steps a group takes between two looks at whether the caller wants it to stop.
const stepsPerLook = 4096

// walk takes one choice a step, the walkers of a group all being at the same step.
func (e Engine) walk(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(*app.DeepWalk)
	t, err := e.tables(p, g, a.Weighted)
	if err != nil {
		return err
	}
	r := newRun(t, b, j)
	chunk := chunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return r.each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := r.walkGroup(w, lo, min(plan.Group, hi-lo), out); err != nil {
				return err
			}
		}
		return nil
	})
}

// walkGroup walks the n samples from row on.
func (r *run) walkGroup(w *stage.Walkers, row, n int, out output.Matrix) error {
	t := r.tables
	vertices := unsafe.Pointer(&out.Vertices[row*out.Width])
	stride := uintptr(out.Width) * 4
	for i := range n {
		w.Key[i], w.Vertex[i] = r.key(row+i), r.root(row+i)
		*(*uint32)(unsafe.Add(vertices, uintptr(i)*stride)) = w.Vertex[i]
	}
	t.Prefetch(w.Vertex[:n])
	for s := range out.Width - 1 {
		if s%stepsPerLook == stepsPerLook-1 {
			if err := r.job.Err(); err != nil {
				return err
			}
		}
		t.Choose(w, n, stage.Term(rng.Slot(uint64(s), 0)))
		if r.batch.Edges {
			t.Resolve(w, n)
		}
		t.Follow(w, n, unsafe.Add(vertices, (s+1)*4), stride)
		if r.batch.Edges {
			for i := range n {
				out.Edges[(row+i)*(out.Width-1)+s] = t.ID(w.Edge[i])
			}
		}
	}
	return nil
}
