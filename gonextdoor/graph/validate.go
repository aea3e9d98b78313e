package graph

import (
	"math"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// scan reads through arrays of unknown origin and refuses those that are no graph's: whatever it lets pass can be
// sampled without a check of its own. It sets what the builders set.
func scan(g *Graph, hands Options) error {
	m := uint64(g.NumEdges())
	if g.Indptr[0] != 0 || g.Indptr[g.NumVertices()] != m {
		return refuse.Format("indptr goes from %d to %d: expected from 0 to %d, the number of edges",
			g.Indptr[0], g.Indptr[g.NumVertices()], m)
	}
	if last := g.Indices[:m+1][m]; last != None {
		return refuse.Format("indices ends with %d: expected %d behind the last edge", last, None)
	}
	if err := scanOffsets(g, hands, "indptr", g.Indptr); err != nil {
		return err
	}
	if o := g.Names.Offsets; o != nil {
		if o[0] != 0 || o[len(o)-1] != uint64(len(g.Names.Text)) {
			return refuse.Format("names_offsets goes from %d to %d: expected from 0 to %d, the length of names_text",
				o[0], o[len(o)-1], len(g.Names.Text))
		}
		if err := scanOffsets(g, hands, "names_offsets", o); err != nil {
			return err
		}
	}
	if err := scanRows(g, hands); err != nil {
		return err
	}
	if err := scanAttributes(g, hands); err != nil {
		return err
	}
	return g.Summarize(hands.Threads, hands.Job)
}

// scanAttributes refuses ids beyond 63 bits and weights with an infinite sum, which no builder makes.
func scanAttributes(g *Graph, hands Options) error {
	err := parallel.For(hands.Job, hands.Threads, len(g.EdgeIDs64), EdgeChunk, func(lo, hi int) error {
		for i, id := range g.EdgeIDs64[lo:hi] {
			if id > math.MaxInt64 {
				return refuse.Format("edge_ids[%d] = %d: expected at most %d", lo+i, id, int64(math.MaxInt64))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return parallel.For(hands.Job, hands.Threads, len(g.Scales), EdgeChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			if !math.IsInf(math.Ldexp(float64(end-first)*(1<<32), int(g.Scales[u])), 1) {
				continue
			}
			sum := 0.0
			for _, b := range g.Biases[first:end] {
				sum += float64(b)
			}
			if math.IsInf(math.Ldexp(sum, int(g.Scales[u])), 1) {
				return refuse.Format("scales[%d] = %d: the weights of the vertex have no finite sum", u, g.Scales[u])
			}
		}
		return nil
	})
}

func scanOffsets(g *Graph, hands Options, name string, offsets []uint64) error {
	return parallel.For(hands.Job, hands.Threads, len(offsets)-1, EdgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if offsets[i+1] < offsets[i] {
				return refuse.Format("%s[%d] = %d after %s[%d] = %d: expected offsets that do not decrease",
					name, i+1, offsets[i+1], name, i, offsets[i])
			}
		}
		return nil
	})
}

// scanRows goes through the edges by position, so that a hub is shared among the threads.
func scanRows(g *Graph, hands Options) error {
	n := uint32(g.NumVertices())
	return parallel.For(hands.Job, hands.Threads, g.NumEdges(), EdgeChunk, func(lo, hi int) error {
		u := g.Source(uint64(lo))
		for p := uint64(lo); p < uint64(hi); p++ {
			for p >= g.Indptr[u+1] {
				u++
			}
			v := g.Indices[p]
			if v >= n {
				return refuse.Format("indices[%d] = %d: expected a vertex below %d", p, v, n)
			}
			if p > g.Indptr[u] && v < g.Indices[p-1] {
				return refuse.Format("indices[%d] = %d after %d in the row of vertex %d: expected rows in ascending order",
					p, v, g.Indices[p-1], u)
			}
		}
		return nil
	})
}

// summarise finds the largest degree and whether there are sinks.
func (g *Graph) Summarize(threads int, j *job.Job) error {
	type facts struct {
		most  uint64
		at    int
		sinks bool
	}
	n := g.NumVertices()
	all := make([]facts, (n+EdgeChunk-1)/EdgeChunk)
	err := parallel.For(j, threads, n, EdgeChunk, func(lo, hi int) error {
		f := &all[lo/EdgeChunk]
		for u := lo; u < hi; u++ {
			d := g.Indptr[u+1] - g.Indptr[u]
			if d > f.most {
				f.most, f.at = d, u
			}
			f.sinks = f.sinks || d == 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.maxDegree, g.hasSinks = 0, false
	for _, f := range all {
		if f.most >= 1<<32 {
			return refuse.Value("vertex %d has %d edges: expected fewer than 2^32", f.at, f.most)
		}
		g.maxDegree = max(g.maxDegree, f.most)
		g.hasSinks = g.hasSinks || f.sinks
	}
	return nil
}
