package walk

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// stopping is a run of walks that stop at random. All walkers of a piece are at the same step, and those that continue are
// compacted after it.
type stopping struct {
	run.Run
	threshold uint64 // a walk stops if the upper 32 bits of a step's word are less
	most      int    // the largest number of steps of a sample; 0: no limit
}

// Stopping runs walks that stop after each step with a constant probability.
func Stopping(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	a := p.App.(app.Stopper)
	t, err := o.Tables(p, g, a.Weights())
	if err != nil {
		return output.Ragged{}, err
	}
	s := stopping{run.New(t, b, j), a.Threshold(), a.MostSteps()}
	chunk := run.ChunkOf(b.Roots.Samples(), b.Threads, min(plan.TracePiece, int(plan.TraceBlock/a.MeanSteps())))
	c, err := newAssembler(&s.Run, a, chunk)
	if err != nil {
		return output.Ragged{}, err
	}
	err = s.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		return c.piece(lo, hi, func(t *traces) error { return s.piece(w, t) })
	})
	return c.result(err)
}

// piece runs the walks of a piece and writes them to its traces.
func (s *stopping) piece(w *stage.Walkers, tr *traces) error {
	// 1. Place the walkers at their roots.
	if s.Batch.IDs == nil {
		s.Tables.Keys(tr.keys[:tr.samples], s.Stream, s.Batch.First+uint64(tr.lo))
	} else {
		for i := range tr.samples {
			tr.keys[i] = s.Key(tr.lo + i)
		}
	}
	copy(tr.vertices, s.roots(tr))
	s.Tables.Prefetch(tr.vertices[:tr.samples])
	unpolled := 0 // steps since the last check for cancellation
	// 2. Take the steps until no walker is left or the length limit is reached.
	n := tr.samples
	for n > 0 && (s.most == 0 || tr.step < s.most) {
		if unpolled += n; unpolled >= plan.Group*run.StepsPerPoll {
			unpolled = 0
			if err := s.Job.Err(); err != nil {
				return err
			}
		}
		if tr.step > 0 && tr.step%stage.TraceWidth == 0 {
			if err := tr.nextChunk(n); err != nil {
				return err
			}
		}
		kept := s.step(w, tr, n)
		tr.stepped(n, kept)
		n = kept
	}
	tr.cut(n)
	return nil
}

// roots returns the roots of a piece: a part of the batch's roots if possible, otherwise a copy.
func (s *stopping) roots(tr *traces) []uint32 {
	if r := s.Batch.Roots; r.Vertices != nil && r.Repeat == 1 {
		tr.roots = r.Vertices[r.From+tr.lo:][:tr.samples]
		return tr.roots
	}
	tr.roots = tr.roots[:0:0]
	for i := range tr.samples {
		tr.roots = append(tr.roots, s.Root(tr.lo+i))
	}
	return tr.roots
}

// step moves the n walkers of a piece by one step and returns the number of walkers that continue. If edges are recorded, it
// runs the two stages of stage.Tables.StepAll separately and records the edges in between.
func (s *stopping) step(w *stage.Walkers, tr *traces, n int) (kept int) {
	t, term := s.Tables, stage.Term(rng.Slot(uint64(tr.step), 0))
	c := tr.walkers()
	c.Threshold = s.threshold
	if tr.edges == nil {
		return t.StepAll(w, &c, tr.vertices, n, term)
	}
	t.Prefetch(tr.vertices[:min(n, plan.Group)])
	for lo := 0; lo < n; lo += plan.Group {
		m := min(plan.Group, n-lo)
		t.Draw(w, m, &c, term)
		copy(w.Vertex[:m], tr.vertices[lo:])
		t.Resolve(w, m)
		for i, row := range tr.rows[lo : lo+m] {
			tr.edges[tr.place()+int(row)*stage.TraceWidth] = w.Edge[i]
		}
		// Prefetch for the next group. Prefetching for the next step would be too early.
		t.Prefetch(tr.vertices[lo+m : min(lo+m+plan.Group, n)])
		k := t.Stop(w, m, &c)
		c.Skip(m, k)
		kept += k
	}
	return kept
}
