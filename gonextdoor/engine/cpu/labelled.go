package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// labelled is a run of the driver labelled: all walkers of a group are at the same step, and those that end leave no gap.
type labelled struct {
	run
	graph *graph.Graph
	rows  index.LabelRows
	path  []int32
	kinds []int // of the path's labels
	stop  uint64
	out   output.Matrix
}

// labelled walks by the rows ordered by label. Where they do not pay, or there is no room for them, a step counts through
// the graph's own row.
func (e Engine) labelled(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(*app.MetaPath)
	work := b.Roots.Samples() * a.Length * plan.LabelRowsPay
	rows, err := index.LabelRowsOf(g, work, graph.Options{Threads: b.Threads, Job: j})
	if err != nil && refuse.KindOf(err) != refuse.KindMemory {
		return err
	}
	if len(rows.Indices) == 0 {
		return bySample(p, g, b, j).Matrix(out)
	}
	t, err := e.tables(p, g, app.No)
	if err != nil {
		return err
	}
	l := labelled{newRun(t, b, j), g, rows, a.Labels, make([]int, len(a.Labels)), a.Threshold(), out}
	for i, label := range a.Labels {
		l.kinds[i] = rows.Kind(label)
	}
	chunk := chunkOf(b.Roots.Samples(), b.Threads, plan.Chunk)
	return l.each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := l.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group walks the n samples from row on.
func (l *labelled) group(w *stage.Walkers, row, n int) error {
	for i := range n {
		w.Key[i], w.Vertex[i], w.Sample[i] = l.key(row+i), l.root(row+i), uint64(row+i)
		l.out.Vertices[(row+i)*l.out.Width] = w.Vertex[i]
	}
	l.prefetch(w, n, 0)
	for s := range l.out.Width - 1 {
		if n == 0 {
			break
		}
		if s%stepsPerLook == stepsPerLook-1 {
			if err := l.job.Err(); err != nil {
				return err
			}
		}
		n = l.choose(w, n, s)
		l.follow(w, n, s)
		l.prefetch(w, n, s+1)
	}
	return nil
}

// prefetch asks for what tells where the edges of step s lie.
func (l *labelled) prefetch(w *stage.Walkers, n, s int) {
	if kind := l.kinds[s%len(l.kinds)]; kind >= 0 && l.rows.Starts != nil {
		for i, v := range w.Vertex[:n] {
			w.Position[i] = uint64(v)*uint64(len(l.rows.Kinds)) + uint64(kind)
		}
		stage.PrefetchWords(unsafe.SliceData(l.rows.Starts), w.Position[:n])
		return
	}
	l.tables.Prefetch(w.Vertex[:n])
}

// choose leaves where the chosen edges lie in Position, and gives the number of walkers that walk on; the others' rows are
// filled up.
func (l *labelled) choose(w *stage.Walkers, n, s int) (kept int) {
	term, stopTerm := stage.Term(rng.Slot(uint64(s), 0)), stage.Term(rng.Slot(uint64(s), app.HookTry))
	for i := range n {
		first, end := uint64(0), uint64(0)
		if s == 0 || l.stop == 0 || rng.Mix(w.Key[i]^stopTerm)>>32 >= l.stop {
			first, end = l.candidates(w.Vertex[i], s%len(l.path))
		}
		if first == end {
			l.fill(int(w.Sample[i]), s)
			continue
		}
		index, _ := rng.Below(rng.Mix(w.Key[i]^term), end-first)
		w.Key[kept], w.Vertex[kept], w.Sample[kept], w.Position[kept] = w.Key[i], w.Vertex[i], w.Sample[i], first+index
		kept++
	}
	return kept
}

// candidates gives where the edges of v lie that have label i of the path.
func (l *labelled) candidates(v uint32, i int) (first, end uint64) {
	switch {
	case l.rows.Starts == nil:
		first, degree := l.tables.Row(v)
		return l.rows.Search(first, first+degree, l.path[i])
	case l.kinds[i] < 0:
		return 0, 0
	}
	return l.rows.OfKind(v, l.kinds[i])
}

// follow takes the chosen edges.
func (l *labelled) follow(w *stage.Walkers, n, s int) {
	stage.PrefetchIndices(unsafe.SliceData(l.rows.Indices), w.Position[:n])
	if l.batch.Edges {
		for i, at := range w.Position[:n] {
			position := l.graph.Indptr[w.Vertex[i]] + uint64(l.rows.Places[at])
			l.out.Edges[int(w.Sample[i])*(l.out.Width-1)+s] = l.tables.ID(position)
		}
	}
	for i, at := range w.Position[:n] {
		w.Vertex[i] = l.rows.Indices[at]
		l.out.Vertices[int(w.Sample[i])*l.out.Width+1+s] = w.Vertex[i]
	}
}

// fill has a row's walk end before step s.
func (l *labelled) fill(row, s int) {
	for ; s < l.out.Width-1; s++ {
		l.out.Vertices[row*l.out.Width+1+s] = graph.None
		if l.batch.Edges {
			l.out.Edges[row*(l.out.Width-1)+s] = -1
		}
	}
}
