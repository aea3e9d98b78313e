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

// Teleport runs walks that teleport with a constant probability: to their roots, or to a vertex chosen uniformly at random.
func Teleport(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(app.Teleporter)
	m := lockstep{out: out}
	// to returns the vertex to which walker i of a group teleports at step s.
	to := func(_ *stage.Walkers, row, i int, _ uint64) uint32 { return m.Root(row + i) }
	if !a.Home() {
		to = func(w *stage.Walkers, _, i int, s uint64) uint32 {
			return app.JumpTo(g.NumVertices(), rng.Key(w.Key[i]), s)
		}
	}
	t, err := o.Tables(p, g, a.Weights())
	if err != nil {
		return err
	}
	m.Run = run.New(t, b, j)
	threshold := a.Threshold()
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
		// Walkers that teleport, and those at a sink, replace the vertex that Follow wrote.
		teleported := w.Teleports(n, threshold)
		for k, i := range w.Event[:teleported] {
			v := to(w, row, int(i), s)
			w.Vertex[i], w.Edge[i], w.Check[k] = v, graph.NoEdge, v
			*(*uint32)(unsafe.Add(out, uintptr(i)*stride)) = v
		}
		t.Prefetch(w.Check[:teleported])
	}
	return m.walk()
}
