package walk

import (
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// negatives is a run of an app.NegativeDrawer. The tries of a group of samples are made together, so that their cache misses overlap.
type negatives struct {
	run.Run
	draws *app.NegativeDraws
	graph *graph.Graph
	out   output.Matrix
}

// Negatives draws pairs of vertices without an edge.
func Negatives(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if b.Edges {
		for i := range out.Edges {
			out.Edges[i] = -1
		}
	}
	if a, ok := p.App.(interface{ AtHops() int }); ok && a.AtHops() > 0 {
		return atHops(p, g, b, a.AtHops(), out, j)
	}
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	n := negatives{Run: run.New(t, b, j), draws: p.App.(app.NegativeDrawer).NegativeDraws(), graph: g, out: out}
	return n.Each(run.ChunkOf(b.Roots.Samples(), b.Threads, plan.Chunk), func(w *stage.Walkers, lo, hi int) error {
		var searches stage.RowSearches
		for ; lo < hi; lo += plan.Group {
			if err := n.Job.Err(); err != nil {
				return err
			}
			n.group(w, &searches, lo, min(plan.Group, hi-lo))
		}
		return nil
	})
}

// group makes the samples of count rows from row on.
func (n *negatives) group(w *stage.Walkers, searches *stage.RowSearches, row, count int) {
	for i := range count {
		w.Key[i], w.Sample[i] = n.Key(row+i), uint64(row+i)
		if !n.draws.Pairs {
			w.Vertex[i] = n.Root(row + i)
		}
	}
	for t := uint64(0); t < selector.MaxTries && count > 0; t++ {
		count = n.try(w, searches, count, t)
	}
	for i := range count {
		u, v := n.draws.Rest(n.graph, rng.Key(w.Key[i]), w.Vertex[i])
		n.write(w.Sample[i], u, v)
	}
}

// try makes try t of count samples. It writes those that are complete, and returns the number of the others.
func (n *negatives) try(w *stage.Walkers, searches *stage.RowSearches, count int, t uint64) (open int) {
	// 1. Propose a pair for each sample, and find the rows of the sources.
	for i := range count {
		w.Previous[i], w.Candidate[i] = n.draws.Try(rng.Key(w.Key[i]), t, w.Vertex[i])
	}
	n.Tables.Prefetch(w.Previous[:count])
	// 2. Search the rows together. A pair whose source has no edges is not searched.
	searches.Clear()
	for i, u := range w.Previous[:count] {
		first, degree := n.Tables.Row(u)
		if w.Count[i] = uint32(degree); degree > 0 {
			searches.Add(first, uint32(degree), w.Candidate[i])
		}
	}
	if len(searches.Low) > 0 {
		searches.Search(n.graph.Indices)
	}
	// 3. Write the pairs without an edge, and keep the others for the next try.
	at := 0
	for i := range count {
		u, v := w.Previous[i], w.Candidate[i]
		excluded := v == graph.None || u == v && !n.draws.Loops
		if w.Count[i] > 0 {
			excluded = excluded || n.graph.Indices[searches.Low[at]] == v
			at++
		}
		if !excluded {
			n.write(w.Sample[i], u, v)
			continue
		}
		w.Key[open], w.Vertex[open], w.Sample[open] = w.Key[i], w.Vertex[i], w.Sample[i]
		open++
	}
	return open
}

// write writes a pair as the sample of a row.
func (n *negatives) write(row uint64, u, v uint32) {
	n.out.Vertices[2*row], n.out.Vertices[2*row+1] = u, v
}

// search is a breadth-first search of one thread.
type search struct {
	seen  []uint64 // a bitmap of the vertices
	found []uint32 // in the order in which they were found, but the ends at the distance in ascending order
	first int      // found[first:] are the ends at the distance
	last  uint32   // the root
}

// atHops draws uniformly among the vertices at a distance from the roots. Successive samples of one root share a search.
func atHops(p plan.Plan, g *graph.Graph, b plan.Batch, hops int, out output.Matrix, j *job.Job) error {
	r, n, ends := run.New(nil, b, j), b.Roots.Samples(), p.App.(app.NegativeDrawer).NegativeDraws().Ends
	const chunk = 16
	searches := make([]search, parallel.Workers(b.Threads, n, chunk))
	return parallel.ForWorker(j, b.Threads, n, chunk, func(worker, lo, hi int) error {
		s := &searches[worker]
		if s.seen == nil {
			s.seen, s.last = make([]uint64, (g.NumVertices()+63)/64), graph.None
		}
		for row := lo; row < hi; row++ {
			root := r.Root(row)
			if root != s.last {
				if err := s.search(g, root, hops, ends, j); err != nil {
					return err
				}
			}
			v, level := graph.None, s.found[s.first:]
			if i := selector.Uniform(rng.Key(r.Key(row)).Word(0), uint64(len(level))); i >= 0 {
				v = level[i]
			}
			out.Vertices[2*row], out.Vertices[2*row+1] = root, v
		}
		j.Add(int64(hi - lo))
		return nil
	})
}

// search finds the vertices below ends at a number of hops from a root.
func (s *search) search(g *graph.Graph, root uint32, hops int, ends uint64, j *job.Job) error {
	for _, v := range s.found {
		s.seen[v/64] = 0
	}
	s.found, s.last = append(s.found[:0], root), graph.None
	s.seen[root/64] |= 1 << (root % 64)
	begin := 0
	for range hops {
		end := len(s.found)
		for i := begin; i < end; i++ {
			if i%1024 == 0 {
				if err := j.Err(); err != nil {
					return err
				}
			}
			for _, v := range g.Neighbors(s.found[i]) {
				if s.seen[v/64]>>(v%64)&1 == 0 {
					s.seen[v/64] |= 1 << (v % 64)
					s.found = append(s.found, v)
				}
			}
		}
		begin = end
	}
	// Keep the vertices at the distance that are ends. Those that are not are cleared now.
	kept := s.found[:begin]
	for _, v := range s.found[begin:] {
		if uint64(v) < ends {
			kept = append(kept, v)
		} else {
			s.seen[v/64] &^= 1 << (v % 64)
		}
	}
	s.found, s.first, s.last = kept, begin, root
	s.sort(begin)
	return nil
}

// sort sorts the vertices at the distance, which are found[first:]. Many of them are read from the bitmap instead.
func (s *search) sort(first int) {
	level := s.found[first:]
	if len(level) < len(s.seen)/64 {
		slices.Sort(level)
		return
	}
	for _, v := range s.found[:first] {
		s.seen[v/64] &^= 1 << (v % 64)
	}
	level = level[:0]
	for i, word := range s.seen {
		for ; word != 0; word &= word - 1 {
			level = append(level, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
}
