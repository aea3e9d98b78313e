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
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// temporal is a run of walks in order of time. All walkers of a group are at the same step, and those that have not ended are
// compacted. A step reads one record of index.TemporalRows, which has the end point and the candidates of the next step.
type temporal struct {
	run.Run
	graph   *graph.Graph
	rows    index.TemporalRows
	records []index.DecayRecord // instead of rows.Edges; nil unless the bias is exponential
	times   []uint64            // of index.TemporalTimes; nil unless there are limits
	bias    app.TimeBias
	limits  app.TimeLimits
	out     output.Matrix
}

// Temporal runs walks whose edges are in order of time. g is the view of index.TemporalView.
func Temporal(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	p.Packed = false // roots alone need the row of a vertex
	tables, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	a := p.App.(app.TemporalWalker)
	t := temporal{
		Run: run.New(tables, b, j), graph: g, rows: index.TemporalRowsOf(g), bias: a.TimeBias(), limits: a.TimeLimits(), out: out,
	}
	options := graph.Options{Threads: b.Threads, Job: j}
	if t.bias == app.ExponentialInTime {
		if t.records, err = index.DecayRecords(g, options); err != nil {
			return err
		}
	}
	if t.limits.Given() {
		if t.times, err = index.TemporalTimes(g, options); err != nil {
			return err
		}
	}
	chunk := run.ChunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return t.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := t.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group runs the walks of n samples from row on.
func (t *temporal) group(w *stage.Walkers, row, n int) error {
	// 1. Place the walkers at their roots.
	for i := range n {
		w.Key[i], w.Vertex[i], w.Sample[i] = t.Key(row+i), t.Root(row+i), uint64(row+i)
		t.out.Vertices[(row+i)*t.out.Width] = w.Vertex[i]
	}
	t.start(w, n)
	// 2. Take the steps until no walker is left.
	for s := range t.out.Width - 1 {
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := t.Job.Err(); err != nil {
				return err
			}
		}
		t.limit(w, n, s)
		n = t.compact(w, n, s)
		t.choose(w, n, s)
		t.follow(w, n, s)
	}
	return nil
}

// start sets the candidates of the first step of n walkers.
func (t *temporal) start(w *stage.Walkers, n int) {
	if t.records != nil {
		for i, v := range w.Vertex[:n] {
			w.Position[i] = uint64(len(t.rows.Edges)) + uint64(v)
		}
		t.readRecords(w, n)
	} else {
		t.Tables.Prefetch(w.Vertex[:n])
		for i, v := range w.Vertex[:n] {
			first, end := t.graph.Row(v)
			w.First[i], w.Count[i] = first, uint32(end-first)
		}
	}
	t.skip(w, n)
}

// compact ends the samples of the walkers without a candidate, before step s, and fills the gaps with the last walkers. It returns
// the number of the others.
func (t *temporal) compact(w *stage.Walkers, n, s int) (kept int) {
	for i := n - 1; i >= 0; i-- {
		if w.Count[i] > 0 {
			continue
		}
		endRow(t.out, t.Batch.Edges, int(w.Sample[i]), s)
		n--
		w.Key[i], w.Vertex[i], w.Sample[i] = w.Key[n], w.Vertex[n], w.Sample[n]
		w.First[i], w.Count[i], w.Position[i] = w.First[n], w.Count[n], w.Position[n]
		w.Out[i], w.Accept[i] = w.Out[n], w.Accept[n]
	}
	return n
}

// choose draws a candidate for each of n walkers, to Position, by the words of step s.
func (t *temporal) choose(w *stage.Walkers, n, s int) {
	term := stage.Term(rng.Slot(uint64(s), 0))
	switch t.bias {
	case app.UniformInTime:
		for i := range n {
			pick, _ := rng.Below(rng.Mix(w.Key[i]^term), uint64(w.Count[i]))
			w.Position[i] = w.First[i] + pick
		}
	case app.LinearInTime:
		for i := range n {
			w.Position[i] = w.First[i] + uint64(selector.Rank(rng.Mix(w.Key[i]^term), uint64(w.Count[i])))
		}
	case app.ExponentialInTime:
		t.chooseDecayed(w, n, s, term)
	}
}

// follow moves n walkers along the chosen edges and records step s.
func (t *temporal) follow(w *stage.Walkers, n, s int) {
	if t.Batch.Edges {
		stage.PrefetchIndices(unsafe.SliceData(t.rows.Places), w.Position[:n])
		for i, at := range w.Position[:n] {
			position := t.graph.Indptr[w.Vertex[i]] + uint64(t.rows.Places[at])
			t.out.Edges[int(w.Sample[i])*(t.out.Width-1)+s] = t.Tables.ID(position)
		}
	}
	if t.records != nil {
		t.readRecords(w, n)
	} else {
		t.readEdges(w, n)
	}
	for i, v := range w.Vertex[:n] {
		t.out.Vertices[int(w.Sample[i])*t.out.Width+1+s] = v
	}
}

// readEdges sets the vertices of n walkers, and the candidates of the next step, by the chosen edges.
func (t *temporal) readEdges(w *stage.Walkers, n int) {
	stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(t.rows.Edges)), w.Position[:n])
	for i, at := range w.Position[:n] {
		e := &t.rows.Edges[at]
		w.Vertex[i], w.First[i], w.Count[i] = e.Target, e.First, e.Count
	}
}

// readRecords is readEdges by records.
func (t *temporal) readRecords(w *stage.Walkers, n int) {
	for i, at := range w.Position[:n] {
		w.Edge[i] = 2 * at // a record has the size of two slots
	}
	stage.PrefetchSlots(unsafe.Pointer(unsafe.SliceData(t.records)), w.Edge[:n])
	for i, at := range w.Position[:n] {
		r := &t.records[at]
		w.Vertex[i], w.First[i], w.Count[i] = r.Target, r.First, r.Count
	}
}
