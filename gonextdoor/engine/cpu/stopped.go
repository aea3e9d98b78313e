package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// stopped is a run of the driver stopped walk: the group is kept full from the samples that wait, and closes its gaps
// as walkers stop.
type stopped struct {
	run
	threshold uint64
}

// stoppedWalk walks until each walker stops.
func (e Engine) stoppedWalk(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	a := p.App.(*app.PPR)
	t, err := e.tables(p, g, a.Weighted)
	if err != nil {
		return output.Ragged{}, err
	}
	s := stopped{newRun(t, b, j), a.Threshold()}
	width := traceWidth(a.Stop, a.MaxLength)
	chunk := chunkOf(b.Roots.Samples(), b.Threads, min(4*plan.Chunk, plan.TraceBlock/width))
	c, err := newCollector(&s.run, a, width, chunk)
	if err != nil {
		return output.Ragged{}, err
	}
	err = s.each(chunk, func(w *stage.Walkers, lo, hi int) error {
		return c.piece(lo, hi, func(t *traces) error { return s.piece(w, t) })
	})
	return c.result(err)
}

// piece walks the samples of a piece of traces.
func (s *stopped) piece(w *stage.Walkers, tr *traces) error {
	t, n, next, asked := s.tables, 0, 0, 0
	target := stage.Traces{Last: uint32(tr.width - 1), Threshold: s.threshold}
	for round := 0; ; round++ {
		if round%roundsPerLook == roundsPerLook-1 {
			if err := s.job.Err(); err != nil {
				return err
			}
		}
		if ahead := min(next+plan.Group, tr.samples); asked < ahead { // before their turn, so that no step waits
			for i := asked; i < ahead; i++ {
				tr.roots[i] = s.root(tr.lo + i)
			}
			t.Prefetch(tr.roots[asked:ahead])
			asked = ahead
		}
		for ; n < plan.Group && next < tr.samples; n++ {
			w.Key[n], w.Vertex[n] = s.key(tr.lo+next), tr.roots[next]
			w.Term[n], w.Row[n] = stage.Term(0), tr.place(next)
			next++
		}
		if n == 0 {
			return nil
		}
		t.Propose(w, n)
		if tr.edges != nil {
			t.Resolve(w, n)
			for i := range n {
				tr.edges[w.Row[i]] = w.Edge[i]
			}
		}
		target.Vertices = unsafe.Pointer(unsafe.SliceData(tr.vertices))
		var full int
		n, full = t.Stop(w, n, &target)
		for i := range full {
			place, more, err := tr.extend(w.FullRow[i])
			if err != nil {
				return err
			}
			if !more {
				continue
			}
			w.Key[n], w.Term[n], w.Vertex[n], w.Row[n] = w.FullKey[i], w.FullTerm[i], w.FullVertex[i], place
			n++
		}
	}
}
