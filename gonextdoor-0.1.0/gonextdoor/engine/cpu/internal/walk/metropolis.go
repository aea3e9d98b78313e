package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Metropolis runs Metropolis-Hastings walks: a walker stays at its vertex if its proposal is not accepted.
func Metropolis(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	m := lockstep{Run: run.New(t, b, j), out: out}
	m.move = func(w *stage.Walkers, n, _ int, s uint64, out unsafe.Pointer, stride uintptr) {
		t.Choose(w, n, stage.Term(rng.Slot(s, 0)))
		if b.Edges {
			t.Resolve(w, n)
		}
		w.Previous = w.Vertex
		t.Follow(w, n, out, stride)
		t.AcceptByDegree(w, n, stage.Term(rng.Slot(s, program.HookTry)), out, stride)
	}
	return m.walk()
}
