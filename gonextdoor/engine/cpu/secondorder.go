package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// roundsPerLook is how many tries a group makes between two looks at whether the caller wants it to stop.
const roundsPerLook = 1024

// second is a run of the driver second order: each walker is at a step and a try of its own, and when it has ended its
// place is taken by the next sample.
type second struct {
	run
	app   *app.Node2Vec
	graph *graph.Graph
	out   output.Matrix
	rule  *stage.Rule
	edges *stage.Edges
	end   stage.End
}

// secondOrder proposes, checks against the vertex before, and proposes again.
func (e Engine) secondOrder(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(*app.Node2Vec)
	if b.Roots.Samples() == 0 {
		return nil
	}
	t, err := e.tables(p, g, a.Weighted)
	if err != nil {
		return err
	}
	order := a.SecondOrder()
	s := second{run: newRun(t, b, j), app: a, graph: g, out: out, rule: stage.NewRule(order.Back, order.Near, order.Away)}
	if s.rule.Low < s.rule.High {
		s.edges, err = stage.NewEdges(g, b.Roots.Samples()*(out.Width-1)*plan.SetPays, graph.Options{Threads: b.Threads, Job: j})
		if refuse.KindOf(err) == refuse.KindMemory { // where there is no room for a set, rows are searched
			s.edges, err = new(stage.Edges), nil
		}
		if err != nil {
			return err
		}
	}
	s.end = stage.End{
		Vertices: unsafe.Pointer(unsafe.SliceData(out.Vertices)),
		Term:     stage.Term(rng.Slot(uint64(out.Width-1), 0)),
	}
	chunk := chunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return s.each(chunk, s.piece)
}

// piece walks the samples of rows [next, hi).
func (s *second) piece(w *stage.Walkers, next, hi int) error {
	t, n := s.tables, 0
	if s.out.Width == 1 {
		for ; next < hi; next++ {
			s.out.Vertices[next] = s.root(next)
		}
		return nil
	}
	for ; n < plan.Group && next < hi; n++ {
		s.start(w, n, next)
		next++
	}
	t.Prefetch(w.Vertex[:n])
	for round := 0; n > 0; round++ {
		if round%roundsPerLook == roundsPerLook-1 {
			if err := s.job.Err(); err != nil {
				return err
			}
		}
		t.Propose(w, n)
		if checks := t.Decide(w, n, s.rule); checks > 0 {
			t.Verify(w, checks, s.edges)
		}
		if s.batch.Edges {
			t.Resolve(w, n)
			for i := range n { // the edge of a refused candidate is overwritten by the next one's
				s.out.Edges[w.Out[i]-w.Sample[i]-1] = t.ID(w.Edge[i])
			}
		}
		events := t.Advance(w, n, &s.end)
		for k := events - 1; k >= 0; k-- { // from the last, so that the walker that fills a gap has no event to come
			i := int(w.Event[k])
			if w.Term[i] != s.end.Term {
				s.afterTries(w, i)
			}
			switch {
			case w.Term[i] != s.end.Term:
			case next < hi:
				s.start(w, i, next)
				t.Prefetch(w.Vertex[i : i+1])
				next++
			default:
				n--
				move(w, i, n)
			}
		}
	}
	return nil
}

// start puts the sample of a row in place i.
func (s *second) start(w *stage.Walkers, i, row int) {
	w.Key[i], w.Vertex[i], w.Previous[i] = s.key(row), s.root(row), graph.None
	w.Term[i], w.Next[i] = stage.Term(0), stage.Term(rng.Slot(1, 0))
	w.Sample[i], w.Out[i] = uint64(row), uint64(row*s.out.Width)+1
	s.out.Vertices[row*s.out.Width] = w.Vertex[i]
}

// move puts the walker of place n in place i.
func move(w *stage.Walkers, i, n int) {
	w.Key[i], w.Term[i], w.Next[i] = w.Key[n], w.Term[n], w.Next[n]
	w.Sample[i], w.Out[i] = w.Sample[n], w.Out[n]
	w.Vertex[i], w.Previous[i] = w.Vertex[n], w.Previous[n]
}

// afterTries takes the step of a walker whose tries were all refused.
func (s *second) afterTries(w *stage.Walkers, i int) {
	step := w.Out[i] - w.Sample[i]*uint64(s.out.Width) - 1
	v, position := s.app.AfterTries(s.graph, rng.Key(w.Key[i]), step, w.Previous[i], w.Vertex[i])
	s.out.Vertices[w.Out[i]] = v
	if s.batch.Edges {
		s.out.Edges[w.Out[i]-w.Sample[i]-1] = s.tables.ID(position)
	}
	w.Previous[i], w.Vertex[i] = w.Vertex[i], v
	w.Term[i] = w.Next[i]
	w.Next[i] += stage.Step
	w.Out[i]++
}
