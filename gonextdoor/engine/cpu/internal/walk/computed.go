package walk

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// computed is a run of walks whose biases are computed during the walk. Each walker has its step and try, and is replaced by
// the next sample when it has ended.
type computed struct {
	run.Run
	graph *graph.Graph
	bias  stage.ComputedBias
	edges *stage.Edges // of biases of second order
	steps int          // of a sample
	out   output.Matrix
}

// proposers is a group of walkers that propose edges until one is accepted. It serves one thread.
type proposers struct {
	stage.Walkers
	step    [plan.Group]int
	tries   [plan.Group]uint64 // tries made at the current step
	lookups stage.Walkers      // scratch for edge lookups
}

// Computed runs walks with computed biases.
func Computed(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	c := &computed{Run: run.New(t, b, j), graph: g, out: out, steps: out.Width - 1}
	if c.bias = stage.NewComputedBias(t, g, p.App.(app.Computing).ComputedBias()); c.bias.SecondOrder() {
		if c.edges, err = edgesOf(p, g, b, graph.Options{Threads: b.Threads, Job: j}); err != nil {
			return err
		}
	}
	n := b.Roots.Samples()
	chunk := run.ChunkOf(n, b.Threads, plan.Chunk)
	workers := make([]proposers, parallel.Workers(b.Threads, n, chunk))
	return parallel.ForWorker(j, b.Threads, n, chunk, func(worker, lo, hi int) error {
		err := c.piece(&workers[worker], lo, hi)
		if err == nil {
			j.Add(int64(hi - lo))
		}
		return err
	})
}

// piece runs the walks of rows [next, hi).
func (c *computed) piece(w *proposers, next, hi int) error {
	// 1. Fill the group.
	n := 0
	for ; n < plan.Group && next < hi; n++ {
		c.start(w, n, next)
		next++
	}
	c.Tables.Prefetch(w.Vertex[:n])
	// 2. Give all walkers one try per round, until no walker is left.
	for round := 0; n > 0; round++ {
		if round%roundsPerPoll == roundsPerPoll-1 {
			if err := c.Job.Err(); err != nil {
				return err
			}
		}
		c.Tables.Propose(&w.Walkers, n)
		if checks := c.bias.Decide(&w.Walkers, n); checks > 0 {
			c.Tables.Verify(&w.Walkers, checks, c.edges)
		}
		for i := n - 1; i >= 0; i-- { // backwards, so that a walker that fills a gap has been handled
			if !c.advance(w, i) {
				continue
			}
			if next < hi {
				c.start(w, i, next)
				c.Tables.Prefetch(w.Vertex[i : i+1])
				next++
			} else {
				n--
				w.replace(i, n)
			}
		}
	}
	return nil
}

// start makes walker i begin the sample of a row.
func (c *computed) start(w *proposers, i, row int) {
	v := c.Root(row)
	w.Key[i], w.Vertex[i], w.Previous[i], w.Sample[i] = c.Key(row), v, graph.None, uint64(row)
	w.Term[i], w.step[i], w.tries[i] = stage.Term(0), 0, 0
	c.out.Vertices[row*c.out.Width] = v
}

// replace moves walker n to index i.
func (w *proposers) replace(i, n int) {
	w.Key[i], w.Term[i], w.Sample[i], w.Vertex[i], w.Previous[i] = w.Key[n], w.Term[n], w.Sample[n], w.Vertex[n], w.Previous[n]
	w.step[i], w.tries[i] = w.step[n], w.tries[n]
}

// advance moves walker i if its proposal was accepted, and otherwise counts the try. After the last try it chooses from the
// complete row. It reports whether the walk has ended.
func (c *computed) advance(w *proposers, i int) bool {
	if w.step[i] >= c.steps { // a walk of no steps
		return true
	}
	v, position := w.Candidate[i], w.Position[i]
	switch {
	case position == c.Tables.Edges: // a sink
		v, position = graph.None, graph.NoEdge
	case w.Accepted[i] == 0:
		w.tries[i]++
		w.Term[i] += rng.Gamma
		if w.tries[i] < c.bias.Tries(w.Vertex[i]) {
			return false
		}
		v, position = c.weighAll(w, i)
		c.Tables.Prefetch([]uint32{v})
	}
	return c.step(w, i, v, position)
}

// weighAll chooses an edge of walker i from its complete row. It returns None if all biases are 0.
func (c *computed) weighAll(w *proposers, i int) (v uint32, position uint64) {
	position = c.bias.WeighAll(w.Key[i], w.Vertex[i], w.Previous[i], w.step[i], func(some []uint32) []uint32 {
		for k, x := range some {
			w.lookups.Previous[k], w.lookups.Candidate[k], w.lookups.Accepted[k], w.lookups.Check[k] = w.Previous[i], x, 0, uint32(k)
		}
		c.Tables.Verify(&w.lookups, len(some), c.edges)
		return w.lookups.Accepted[:len(some)]
	})
	if position == graph.NoEdge {
		return graph.None, graph.NoEdge
	}
	return c.graph.Indices[position], position
}

// step records a walker's step to v and reports whether it was the last.
func (c *computed) step(w *proposers, i int, v uint32, position uint64) bool {
	row, s := int(w.Sample[i]), w.step[i]
	c.write(row, s, v, position)
	s++
	if v == graph.None || s == c.steps {
		for ; s < c.steps; s++ {
			c.write(row, s, graph.None, graph.NoEdge)
		}
		return true
	}
	w.Previous[i], w.Vertex[i] = w.Vertex[i], v
	w.step[i], w.tries[i], w.Term[i] = s, 0, stage.Term(rng.Slot(uint64(s), 0))
	return false
}

// write records step s of a sample.
func (c *computed) write(row, s int, v uint32, position uint64) {
	c.out.Vertices[row*c.out.Width+1+s] = v
	if c.Batch.Edges {
		c.out.Edges[row*(c.out.Width-1)+s] = c.Tables.ID(position)
	}
}
