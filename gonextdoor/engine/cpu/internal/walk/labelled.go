package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
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

// labelled is a run of walks along a path of labels. All walkers of a group are at the same step, and those that have
// not ended are compacted.
type labelled struct {
	run.Run
	graph *graph.Graph
	path  stage.LabelPath
	stop  uint64 // a walk stops if the upper 32 bits of a step's word are less; 0: never
	out   output.Matrix
}

// Labelled runs walks whose step s follows an edge with label s of the path. It reads the rows ordered by label
// (index.LabelRows). If they cost more than the walks or do not fit in memory, it adds up the rows that walks visit (index.LabelSums).
func Labelled(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(app.LabelPath)
	work := p.Work(index.LabelRowsTable, b.Roots.Samples())
	options := graph.Options{Threads: b.Threads, Job: j}
	rows, err := index.LabelRowsOf(g, work, options)
	var weights index.LabelWeights
	if err == nil && a.Weights() == app.Computed {
		weights, err = index.LabelWeightsOf(g, rows, options)
	}
	if err != nil && refuse.KindOf(err) != refuse.KindMemory {
		return err
	}
	path := stage.NewLabelPath(rows, weights, a.Path())
	if len(rows.Indices) == 0 || err != nil {
		path = stage.NewLabelScan(g, a.Weights() == app.Computed, a.Path())
	}
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	l := labelled{run.New(t, b, j), g, path, a.Threshold(), out}
	chunk := run.ChunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return l.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := l.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group runs the walks of n samples from row on.
func (l *labelled) group(w *stage.Walkers, row, n int) error {
	// 1. Place the walkers at their roots.
	for i := range n {
		w.Key[i], w.Vertex[i], w.Sample[i] = l.Key(row+i), l.Root(row+i), uint64(row+i)
		l.out.Vertices[(row+i)*l.out.Width] = w.Vertex[i]
	}
	l.prefetch(w, n, 0)
	// 2. Take the steps until no walker is left.
	for s := range l.out.Width - 1 {
		if n == 0 {
			break
		}
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := l.Job.Err(); err != nil {
				return err
			}
		}
		n = l.choose(w, n, s)
		l.follow(w, n, s)
		l.prefetch(w, n, s+1)
	}
	return nil
}

// prefetch prefetches the memory that candidates reads at step s.
func (l *labelled) prefetch(w *stage.Walkers, n, s int) {
	if l.path.Rows.Starts != nil && l.path.Kinds[s%len(l.path.Kinds)] >= 0 {
		kind := l.path.Kinds[s%len(l.path.Kinds)]
		for i, v := range w.Vertex[:n] {
			w.Position[i] = uint64(v)*uint64(len(l.path.Rows.Kinds)) + uint64(kind)
		}
		stage.PrefetchWords(unsafe.SliceData(l.path.Rows.Starts), w.Position[:n])
		return
	}
	l.Tables.Prefetch(w.Vertex[:n])
}

// choose draws an edge for each of n walkers, to Position, and compacts the walkers that continue. It returns their number.
// The samples of the others end.
func (l *labelled) choose(w *stage.Walkers, n, s int) (kept int) {
	term, stopTerm := stage.Term(rng.Slot(uint64(s), 0)), stage.Term(rng.Slot(uint64(s), program.HookTry))
	for i := range n {
		w.First[i], w.Count[i] = l.Tables.Edges, 0
		if s == 0 || l.stop == 0 || rng.Mix(w.Key[i]^stopTerm)>>32 >= l.stop {
			l.path.Candidates(l.Tables, w, i, s)
		}
		w.Position[i] = rng.Mix(w.Key[i] ^ term)
	}
	l.path.Choose(l.Tables, w, n, s)
	for i, at := range w.Position[:n] {
		if at == l.Tables.Edges {
			endRow(l.out, l.Batch.Edges, int(w.Sample[i]), s)
			continue
		}
		w.Key[kept], w.Vertex[kept], w.Sample[kept], w.Position[kept] = w.Key[i], w.Vertex[i], w.Sample[i], at
		kept++
	}
	return kept
}

// follow moves n walkers along the chosen edges and records step s.
func (l *labelled) follow(w *stage.Walkers, n, s int) {
	stage.PrefetchIndices(unsafe.SliceData(l.path.Rows.Indices), w.Position[:n])
	if l.Batch.Edges {
		for i, at := range w.Position[:n] {
			position := at
			if l.path.Rows.Places != nil {
				position = l.graph.Indptr[w.Vertex[i]] + uint64(l.path.Rows.Places[at])
			}
			l.out.Edges[int(w.Sample[i])*(l.out.Width-1)+s] = l.Tables.ID(position)
		}
	}
	for i, at := range w.Position[:n] {
		w.Vertex[i] = l.path.Rows.Indices[at]
		l.out.Vertices[int(w.Sample[i])*l.out.Width+1+s] = w.Vertex[i]
	}
}

// endRow ends the sample of a row before step s by writing None to its remaining steps, and -1 to their edges.
func endRow(out output.Matrix, edges bool, row, s int) {
	for ; s < out.Width-1; s++ {
		out.Vertices[row*out.Width+1+s] = graph.None
		if edges {
			out.Edges[row*(out.Width-1)+s] = -1
		}
	}
}
