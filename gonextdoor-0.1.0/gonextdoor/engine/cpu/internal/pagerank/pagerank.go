// Package pagerank counts the visits of random walks, for personalised PageRank scores of many rows, without storing the
// walks.
//
// Walks run in pieces. A piece stores its vertices in trails, which visitCounts then counts in a hash table per row.
// Threads share rows if there are many, and share the walks of each row otherwise.
package pagerank

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Scores counts the visits of the walks of each row, as app.PageRank defines them. The result is lent from offheap.Results,
// and the caller must return it.
func Scores(o run.Options, s plan.Scores, j *job.Job) (output.Scores, error) {
	t, err := stage.New(s.Graph, stage.Options{
		Weighted: s.App.Weighted == app.Yes, Packed: index.CanPack(s.Graph), Pure: o.Pure, NoAVX512: o.NoAVX512,
	})
	if err != nil {
		return output.Scores{}, err
	}
	r := &ranking{Scores: s, tables: t, job: j, threshold: s.App.Threshold()}
	r.piece = max(1, min(plan.PageRankPiece, int(plan.TraceBlock*s.App.Stop)))
	if s.From.Rows < parallel.Threads(s.Threads) {
		return r.byWalks()
	}
	return r.byRows()
}

// ranking is one call of Scores. Threads share it and do not modify it.
type ranking struct {
	plan.Scores
	tables    *stage.Tables
	job       *job.Job
	threshold uint64
	piece     int // walks per piece
}

// ranker runs walks and counts their visits. It serves one thread.
type ranker struct {
	*ranking
	walkers stage.Walkers
	trails  *trails
	counts  *visitCounts
}

// ranker returns a new ranker.
func (r *ranking) ranker() *ranker {
	return &ranker{ranking: r, trails: newTrails(r.piece), counts: newVisitCounts()}
}

// byRows distributes rows among threads.
func (r *ranking) byRows() (output.Scores, error) {
	rows := r.From.Rows
	chunk := max(1, min(plan.PageRankRows, rows/(4*parallel.Threads(r.Threads))))
	rankers := make([]*ranker, parallel.Workers(r.Threads, rows, chunk))
	found := newScoreRows(rows, chunk, len(rankers))
	defer found.free()
	err := parallel.ForWorker(r.job, r.Threads, rows, chunk, func(worker, lo, hi int) error {
		if rankers[worker] == nil {
			rankers[worker] = r.ranker()
		}
		k := rankers[worker]
		found.begin(worker, lo)
		for row := lo; row < hi; row++ {
			if err := k.walk(row, 0, uint64(r.Walks[row])); err != nil {
				return err
			}
			if err := found.add(worker, row, k); err != nil {
				return err
			}
			k.counts.reset()
			r.job.Add(1)
		}
		return nil
	})
	if err != nil {
		return output.Scores{}, err
	}
	return found.result(r.Threads)
}

// byWalks distributes the walks of each row among all threads, for calls with fewer rows than threads.
func (r *ranking) byWalks() (output.Scores, error) {
	found := newScoreRows(r.From.Rows, 1, 1)
	defer found.free()
	rankers := make([]*ranker, parallel.Threads(r.Threads))
	for row := range r.From.Rows {
		// 1. Run the walks and count on all threads.
		walks := int(r.Walks[row])
		err := parallel.ForWorker(r.job, r.Threads, walks, r.piece, func(worker, lo, hi int) error {
			if rankers[worker] == nil {
				rankers[worker] = r.ranker()
			}
			return rankers[worker].walk(row, uint64(lo), uint64(hi))
		})
		if err != nil {
			return output.Scores{}, err
		}
		// 2. Merge the counts.
		if rankers[0] == nil {
			rankers[0] = r.ranker()
		}
		all := rankers[0]
		for _, k := range rankers[1:] {
			if k != nil {
				all.counts.merge(k.counts)
				k.counts.reset()
			}
		}
		// 3. Store the row.
		found.begin(0, row)
		if err := found.add(0, row, all); err != nil {
			return output.Scores{}, err
		}
		all.counts.reset()
		r.job.Add(1)
	}
	return found.result(r.Threads)
}

// entries returns the occupied slots of a row in the order of the result: by score with TopK, otherwise by vertex.
func (k *ranker) entries() []uint64 {
	if k.TopK > 0 {
		if k.App.Sinks == app.SinkRestarts {
			return k.counts.top(k.TopK, nil)
		}
		return k.counts.top(k.TopK, func(v uint32) uint64 { return k.App.Unit(k.Graph, v) })
	}
	return k.counts.sorted(k.Graph.NumVertices())
}

// walk counts the visits of the walks [from, to) of a row.
func (k *ranker) walk(row int, from, to uint64) error {
	stream := app.RowWalks(k.Seed, k.First+uint64(row))
	single, one := k.From.Single(row)
	for ; from < to; from += uint64(k.piece) {
		if err := k.job.Err(); err != nil {
			return err
		}
		// 1. Derive the keys, and choose the first vertices.
		n := int(min(uint64(k.piece), to-from))
		k.trails.begin(n)
		k.tables.Keys(k.trails.first[:n], stream, from)
		if one {
			for i := range n {
				k.trails.vertices[i] = single
			}
		} else {
			term := stage.Term(rng.Slot(0, 0))
			for i, key := range k.trails.first[:n] {
				k.trails.vertices[i] = k.From.Choose(row, rng.Mix(key^term))
			}
		}
		// 2. Take the steps.
		if err := k.advance(row, k.first(n)); err != nil {
			return err
		}
		// 3. Count the visits.
		k.trails.count(k.counts, n)
	}
	return nil
}

// first records step 0 of n walks, whose vertices have been chosen. It returns the number of walks that continue.
func (k *ranker) first(n int) (kept int) {
	t, term := k.trails, stage.Term(rng.Slot(0, 0))
	for i := range n {
		key, v := t.first[i], t.vertices[i]
		t.steps[i*stage.TraceWidth] = v
		t.lengths[i] = 1
		t.keys[kept], t.vertices[kept], t.rows[kept] = key, v, uint32(i)
		if uint64(rng.Second(rng.Mix(key^term))) >= k.threshold {
			kept++
		}
	}
	t.step = 1
	return kept
}

// advance takes the steps after the first until all n walkers have ended.
func (k *ranker) advance(row, n int) error {
	t := k.trails
	for unpolled := 0; n > 0; t.step++ { // unpolled: steps since the last check for cancellation
		if unpolled += n; unpolled >= plan.Group*run.StepsPerPoll {
			unpolled = 0
			if err := k.job.Err(); err != nil {
				return err
			}
		}
		if t.step%stage.TraceWidth == 0 {
			t.nextChunk(n)
		}
		c := t.batch(k.threshold)
		term := stage.Term(rng.Slot(uint64(t.step), 0))
		kept := k.tables.StepAll(&k.walkers, &c, t.vertices, n, term)
		sinks := t.endAll(n - kept)
		if n = kept; k.App.Sinks == app.SinkRestarts {
			n = k.restart(row, sinks, kept, term)
		}
	}
	return nil
}

// restart moves the walkers that were at a sink to the row's seeds, and appends those that continue to the kept walkers. It
// returns the new number of walkers.
func (k *ranker) restart(row int, sinks []uint32, kept int, term uint64) int {
	t := k.trails
	v, single := k.From.Single(row)
	for _, at := range sinks {
		walk := t.walks[t.chunk+int(at)]
		key := t.first[walk]
		word := rng.Mix(key ^ term)
		if !single {
			v = k.From.Choose(row, word)
		}
		t.steps[t.place()+int(at)*stage.TraceWidth] = v
		t.lengths[walk] = uint32(t.step) + 1
		t.keys[kept], t.vertices[kept], t.rows[kept] = key, v, at
		if uint64(rng.Second(word)) >= k.threshold {
			kept++
		}
	}
	return kept
}
