package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// moves is a run of walkers in step that do not always take the edge that they choose.
type moves struct {
	run.Run
	out output.Matrix
	// move takes step s of n walkers whose samples begin at row; it writes walker i's vertex stride bytes behind that of
	// i-1, and leaves its edge in Edge[i] where the batch wants it.
	move func(w *stage.Walkers, n, row int, s uint64, out unsafe.Pointer, stride uintptr)
}

// metropolis proposes, and stays where the proposal is not accepted.
func (e Engine) metropolis(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := run.Options(e).Tables(p, g, app.No)
	if err != nil {
		return err
	}
	m := moves{Run: run.New(t, b, j), out: out}
	m.move = func(w *stage.Walkers, n, _ int, s uint64, out unsafe.Pointer, stride uintptr) {
		t.Choose(w, n, stage.Term(rng.Slot(s, 0)))
		if b.Edges {
			t.Resolve(w, n)
		}
		w.Previous = w.Vertex
		t.Follow(w, n, out, stride)
		t.AcceptByDegree(w, n, stage.Term(rng.Slot(s, app.HookTry)), out, stride)
	}
	return m.all()
}

// leaping walks along edges, but for walkers that leap: to their roots, or anywhere.
func (e Engine) leaping(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	var leap *app.Teleport
	m := moves{out: out}
	to := func(_ *stage.Walkers, row, i int, _ uint64) uint32 { return m.Root(row + i) }
	switch a := p.App.(type) {
	case *app.Jump:
		leap = &a.Teleport
		to = func(w *stage.Walkers, _, i int, s uint64) uint32 { return app.JumpTo(g, rng.Key(w.Key[i]), s) }
	case *app.Restart:
		leap = &a.Teleport
	}
	t, err := run.Options(e).Tables(p, g, leap.Weighted)
	if err != nil {
		return err
	}
	m.Run = run.New(t, b, j)
	threshold := leap.Threshold()
	m.move = func(w *stage.Walkers, n, row int, s uint64, out unsafe.Pointer, stride uintptr) {
		term := stage.Term(rng.Slot(s, 0))
		for i := range n {
			w.Term[i] = term
		}
		t.Propose(w, n)
		if b.Edges {
			t.Resolve(w, n)
		}
		t.Follow(w, n, out, stride)
		leapt := 0
		for i := range n {
			w.Event[leapt] = uint32(i)
			if uint64(w.Accept[i]) < threshold || w.Vertex[i] == graph.None {
				leapt++
			}
		}
		for k, i := range w.Event[:leapt] {
			v := to(w, row, int(i), s)
			w.Vertex[i], w.Edge[i], w.Check[k] = v, graph.NoEdge, v
			*(*uint32)(unsafe.Add(out, uintptr(i)*stride)) = v
		}
		t.Prefetch(w.Check[:leapt])
	}
	return m.all()
}

// all moves the walkers of all samples.
func (m *moves) all() error {
	chunk := run.ChunkOf(m.Batch.Roots.Samples(), m.Batch.Threads, plan.Chunk)
	return m.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := m.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group moves the walkers of n samples from row on.
func (m *moves) group(w *stage.Walkers, row, n int) error {
	vertices := unsafe.Pointer(&m.out.Vertices[row*m.out.Width])
	stride := uintptr(m.out.Width) * 4
	for i := range n {
		w.Key[i], w.Vertex[i] = m.Key(row+i), m.Root(row+i)
		*(*uint32)(unsafe.Add(vertices, uintptr(i)*stride)) = w.Vertex[i]
	}
	m.Tables.Prefetch(w.Vertex[:n])
	for s := range m.out.Width - 1 {
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := m.Job.Err(); err != nil {
				return err
			}
		}
		m.move(w, n, row, uint64(s), unsafe.Add(vertices, (s+1)*4), stride)
		if m.Batch.Edges {
			for i := range n {
				m.out.Edges[(row+i)*(m.out.Width-1)+s] = m.Tables.ID(w.Edge[i])
			}
		}
	}
	return nil
}
