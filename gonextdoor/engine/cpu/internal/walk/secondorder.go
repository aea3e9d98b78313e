package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// roundsPerPoll is the number of tries that a group makes between two checks for cancellation.
const roundsPerPoll = 1024

// secondOrder is a run of second-order walks. Each walker has its step and try, and is replaced by the next sample when it has
// ended.
type secondOrder struct {
	run.Run
	app   app.SecondOrderer
	graph *graph.Graph
	out   output.Matrix
	bias  *stage.SecondOrder
	edges *stage.Edges
	end   stage.End

	outliers *outliers // nil: there are none
}

// SecondOrder runs second-order walks by rejection: it proposes edges by weight and accepts them by their relation to the
// previous vertex.
func SecondOrder(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(app.SecondOrderer)
	if b.Roots.Samples() == 0 {
		return nil
	}
	t, err := o.Tables(p, g, a.Weights())
	if err != nil {
		return err
	}
	order, apart := a.Outliers()
	s := secondOrder{Run: run.New(t, b, j), app: a, graph: g, out: out, bias: stage.NewSecondOrder(order.Back, order.Near, order.Away)}
	// Lookups are needed only if neighbours of the previous vertex and other vertices have different biases.
	if s.bias.Low < s.bias.High {
		if s.edges, err = edgesOf(p, g, b, graph.Options{Threads: b.Threads, Job: j}); err != nil {
			return err
		}
	}
	if apart.Back > 0 && out.Width > 2 { // there is a step with a previous vertex
		options := graph.Options{Threads: b.Threads, Job: j}
		if s.outliers, err = newOutliers(t, apart, g, a.Weights() == app.Yes, b.Edges, options); err != nil {
			return err
		}
	}
	s.end = stage.End{
		Vertices: unsafe.Pointer(unsafe.SliceData(out.Vertices)),
		Term:     stage.Term(rng.Slot(uint64(out.Width-1), 0)),
		Last:     stage.Rejected(a.Tries()),
	}
	chunk := run.ChunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return s.Each(chunk, s.piece)
}

// edgesOf returns the look-up of edges of a run.
func edgesOf(p plan.Plan, g *graph.Graph, b plan.Batch, options graph.Options) (*stage.Edges, error) {
	edges, err := stage.NewEdges(g, p.Work(index.EdgeSetTable, b.Roots.Samples()), options)
	if refuse.KindOf(err) == refuse.KindMemory { // without memory for a set, rows are searched
		return new(stage.Edges), nil
	}
	return edges, err
}

// try proposes an edge for each of n walkers and decides. apart has the proposals of outliers; nil: there are no outliers.
func (s *secondOrder) try(w *stage.Walkers, n int, apart *strays) {
	t := s.Tables
	switch {
	case apart == nil:
		t.Propose(w, n)
		if checks := t.Decide(w, n, s.bias); checks > 0 {
			t.Verify(w, checks, s.edges)
		}
	case s.outliers.single && s.edges != nil:
		t.ProposeApart(w, n, &s.outliers.stage, &apart.Strays)
		s.locateSingles(w, apart)
		checks := t.Decide(w, n, s.bias)
		if checks = s.settleSingles(w, &apart.singles, checks); checks > 0 {
			t.Verify(w, checks, s.edges)
		}
		apart.singles.restoreSingles(w)
	default:
		t.ProposeApart(w, n, &s.outliers.stage, &apart.Strays)
		s.locate(w, apart)
		if checks := t.Decide(w, n, s.bias); checks > 0 {
			t.Verify(w, checks, s.edges)
		}
		s.settle(w, apart)
		t.PrefetchReach(w, n, &s.outliers.stage, &apart.positions)
	}
}

// record writes the edges of the candidates of n walkers, if they are requested. The next try overwrites the edge of a
// rejected candidate.
func (s *secondOrder) record(w *stage.Walkers, n int, apart *strays) {
	if !s.Batch.Edges {
		return
	}
	t := s.Tables
	t.Resolve(w, n)
	if apart != nil {
		for _, e := range apart.found {
			w.Edge[e.walker] = e.edge
		}
	}
	for i := range n {
		s.out.Edges[w.Out[i]-w.Sample[i]-1] = t.ID(w.Edge[i])
	}
}

// piece runs the walks of rows [next, hi).
func (s *secondOrder) piece(w *stage.Walkers, next, hi int) error {
	t, n := s.Tables, 0
	if s.out.Width == 1 {
		for ; next < hi; next++ {
			s.out.Vertices[next] = s.Root(next)
		}
		return nil
	}
	var apart *strays
	if s.outliers != nil {
		apart = strayPool.Get().(*strays)
		defer strayPool.Put(apart)
	}
	// 1. Fill the group.
	for ; n < plan.Group && next < hi; n++ {
		s.start(w, n, next)
		next++
	}
	t.Prefetch(w.Vertex[:n])
	// 2. Give all walkers one try per round, until no walker is left.
	for round := 0; n > 0; round++ {
		if round%roundsPerPoll == roundsPerPoll-1 {
			if err := s.Job.Err(); err != nil {
				return err
			}
		}
		// 2a. Propose an edge and decide. Look up an edge for the candidates whose decision depends on it.
		s.try(w, n, apart)
		s.record(w, n, apart)
		// 2b. Move the accepted walkers. Handle the walkers that have no try left and those that have ended.
		events := t.Advance(w, n, &s.end)
		for k := events - 1; k >= 0; k-- { // backwards, so that a walker that fills a gap has been handled
			i := int(w.Event[k])
			if w.Term[i] != s.end.Term {
				s.fallback(w, i)
			}
			switch {
			case w.Term[i] != s.end.Term:
			case next < hi:
				s.start(w, i, next)
				t.Prefetch(w.Vertex[i : i+1])
				next++
			default:
				n--
				replaceWalker(w, i, n)
			}
		}
	}
	return nil
}

// start makes walker i begin the sample of a row.
func (s *secondOrder) start(w *stage.Walkers, i, row int) {
	w.Key[i], w.Vertex[i], w.Previous[i] = s.Key(row), s.Root(row), graph.None
	w.Term[i], w.Next[i] = stage.Term(0), stage.Term(rng.Slot(1, 0))
	w.Sample[i], w.Out[i] = uint64(row), uint64(row*s.out.Width)+1
	s.out.Vertices[row*s.out.Width] = w.Vertex[i]
}

// replaceWalker moves walker n to index i.
func replaceWalker(w *stage.Walkers, i, n int) {
	w.Key[i], w.Term[i], w.Next[i] = w.Key[n], w.Term[n], w.Next[n]
	w.Sample[i], w.Out[i] = w.Sample[n], w.Out[n]
	w.Vertex[i], w.Previous[i] = w.Vertex[n], w.Previous[n]
}

// fallback takes the step of a walker whose tries were all rejected. The app scans the complete row.
func (s *secondOrder) fallback(w *stage.Walkers, i int) {
	step := w.Out[i] - w.Sample[i]*uint64(s.out.Width) - 1
	v, position := s.app.AfterTries(s.graph, rng.Key(w.Key[i]), step, w.Previous[i], w.Vertex[i])
	s.out.Vertices[w.Out[i]] = v
	if s.Batch.Edges {
		s.out.Edges[w.Out[i]-w.Sample[i]-1] = s.Tables.ID(position)
	}
	w.Previous[i], w.Vertex[i] = w.Vertex[i], v
	w.Term[i] = w.Next[i]
	w.Next[i] += stage.Step
	w.Out[i]++
}
