package graph

import (
	"math"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// scan reads all arrays of unknown origin and returns an error if they do not form a valid graph. Afterwards the graph can be
// sampled without further checks. It also calls Summarize.
func scan(g *Graph, opts Options) error {
	m := uint64(g.NumEdges())
	if g.Indptr[0] != 0 || g.Indptr[g.NumVertices()] != m {
		return refuse.Format("indptr begins with %d and ends with %d: expected 0 and %d, the number of edges",
			g.Indptr[0], g.Indptr[g.NumVertices()], m)
	}
	if last := g.Indices[:m+1][m]; last != None {
		return refuse.Format("indices ends with %d: expected %d after the last edge", last, None)
	}
	if err := scanOffsets(g, opts, "indptr", g.Indptr); err != nil {
		return err
	}
	if o := g.Names.Offsets; o != nil {
		if o[0] != 0 || o[len(o)-1] != uint64(len(g.Names.Text)) {
			return refuse.Format("names_offsets begins with %d and ends with %d: expected 0 and %d, the length of names_text",
				o[0], o[len(o)-1], len(g.Names.Text))
		}
		if err := scanOffsets(g, opts, "names_offsets", o); err != nil {
			return err
		}
	}
	if err := scanRows(g, opts); err != nil {
		return err
	}
	if err := scanAlias(g, opts); err != nil {
		return err
	}
	if err := scanAttributes(g, opts); err != nil {
		return err
	}
	if err := scanNextID(g, opts); err != nil {
		return err
	}
	return g.Summarize(opts.Threads, opts.Job)
}

// scanAttributes rejects edge ids of more than 63 bits, and rows of weights whose sum is infinite.
func scanAttributes(g *Graph, opts Options) error {
	err := parallel.For(opts.Job, opts.Threads, len(g.EdgeIDs64), EdgeChunk, func(lo, hi int) error {
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
	return parallel.For(opts.Job, opts.Threads, len(g.Scales), EdgeChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			if !math.IsInf(math.Ldexp(float64(end-first)*(1<<32), int(g.Scales[u])), 1) {
				continue // an upper bound of the sum is finite, so the biases need not be read
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

// scanOffsets returns an error if offsets decrease.
func scanOffsets(g *Graph, opts Options, name string, offsets []uint64) error {
	return parallel.For(opts.Job, opts.Threads, len(offsets)-1, EdgeChunk, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if offsets[i+1] < offsets[i] {
				return refuse.Format("%s[%d] = %d after %s[%d] = %d: expected offsets that do not decrease",
					name, i+1, offsets[i+1], name, i, offsets[i])
			}
		}
		return nil
	})
}

// scanRows returns an error if an end point is not a vertex or a row is not sorted. It splits the edges by position, so that
// several threads share the row of a hub.
func scanRows(g *Graph, opts Options) error {
	n := uint32(g.NumEnds())
	return parallel.For(opts.Job, opts.Threads, g.NumEdges(), EdgeChunk, func(lo, hi int) error {
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

// AliasWords is the number of elements of Graph.Alias per edge: the fields of an index.AliasSlot.
const AliasWords = 4

// scanAlias returns an error if a slot of the stored alias tables selects anything but edges of its row. That the thresholds are
// those of the weights is left to checksums.
func scanAlias(g *Graph, opts Options) error {
	if g.Alias == nil {
		return nil
	}
	return parallel.For(opts.Job, opts.Threads, g.NumVertices(), VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := g.Row(uint32(u))
			none := end > first && g.Alias[AliasWords*first] == None // no edge of the row has a bias
			for p := first; p < end; p++ {
				s := g.Alias[AliasWords*p : AliasWords*(p+1)]
				v, other, place := s[0], s[1], uint64(s[3])
				if place >= end-first || none && (v != None || other != None) ||
					!none && (v != g.Indices[p] || other != g.Indices[first+place]) {
					return refuse.Format("alias[%d] has the vertices %d and %d and the place %d: expected edges of the row of vertex %d", p, v, other, place, u)
				}
			}
		}
		return nil
	})
}

// Summarize computes MaxDegree and HasSinks. Builders call it once the rows are complete.
func (g *Graph) Summarize(threads int, j *job.Job) error {
	type rowsFound struct {
		most  uint64
		at    int
		sinks bool
	}
	n := g.NumVertices()
	all := make([]rowsFound, (n+EdgeChunk-1)/EdgeChunk)
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
