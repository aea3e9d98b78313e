package induced

import (
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Groups are vertices by group: group i is Vertices[Ends[i-1]:Ends[i]], whose rows are read, and Others[OtherEnds[i-1]:OtherEnds[i]],
// to which edges lead. Vertices may repeat. Of a vertex that repeats among the others of a group, the first place counts.
type Groups struct {
	Vertices, Ends    []int64
	Others, OtherEnds []int64
	Order             Order
}

// Order is the order of the edges that Among finds.
type Order int64

const (
	ByVertex Order = iota // by the place of the vertex in Vertices, then as in its row
	ByOther               // by the place of the end in Others, then by the place of the vertex, then as in its row
)

// Edges are edges between groups, in arrays that are lent from offheap.Results.
type Edges struct {
	Places []int64 // of each edge's vertex in Vertices, then of each edge's end in Others; the latter first if ordered by them
	IDs    []int64
}

// Return returns the arrays.
func (e *Edges) Return() {
	buffer.Return(e.Places)
	buffer.Return(e.IDs)
	*e = Edges{}
}

// scratch is the memory of a call of Among. The finder keeps the index of each edge within its row, and the place of its end.
type scratch struct {
	Finder
	vertices, sizes []uint32 // the vertices, and the number of edges of each
}

var pool = sync.Pool{New: func() any { return &scratch{Finder: Finder{keeps: true}} }}

// Many is Among for several batches of groups, of which each has one thread.
func Many(g *graph.Graph, batches []Groups, threads int) ([]Edges, error) {
	return many(len(batches), threads, func(i int) (Edges, error) { return Among(g, batches[i]) })
}

// Among finds the edges of g from the vertices of each group to its others.
//
// Its definition, for each group and ByVertex:
//
//	for i, v := range vertices { for u in row v { if u is among others { append i, place of u, id } } }
func Among(g *graph.Graph, groups Groups) (Edges, error) {
	for _, list := range [][]int64{groups.Vertices, groups.Others} {
		for i, v := range list {
			if v < 0 || v >= int64(g.NumVertices()) {
				return Edges{}, refuse.Index("nodes[%d] = %d is out of range: vertex ids must be 0 <= id < %d", i, v, g.NumVertices())
			}
		}
	}
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	if err := s.find(g, groups); err != nil {
		return Edges{}, err
	}
	return s.edges(g, groups)
}

// find finds the edges of all groups.
func (s *scratch) find(g *graph.Graph, groups Groups) error {
	lent, err := index.LendScratch(g)
	if err != nil {
		return err
	}
	defer func() { // also if a fault of a mapped file unwinds the stack
		for _, u := range groups.Others {
			lent.Words[u], lent.Bits[u>>6] = 0, 0
		}
		index.ReturnScratch(g, lent)
	}()
	rows, err := rowaccess.NewRows(g, false)
	if err != nil {
		return err
	}
	n := len(groups.Vertices)
	s.vertices, s.sizes = buffer.Grow(s.vertices[:0], n)[:n], buffer.Grow(s.sizes[:0], n)[:n]
	for i, v := range groups.Vertices {
		s.vertices[i] = uint32(v)
	}
	s.hits, s.ends = s.hits[:0], s.ends[:0]
	begin, other := int64(0), int64(0)
	for k, end := range groups.Ends {
		others := groups.Others[other:groups.OtherEnds[k]]
		for i := len(others) - 1; i >= 0; i-- {
			u := others[i]
			lent.Words[u], lent.Bits[u>>6] = uint32(other)+uint32(i), lent.Bits[u>>6]|1<<(u&63)
		}
		sizes := s.sizes[begin:end]
		s.Find(g, &rows, lent.Bits, s.vertices[begin:end], never, func(i int, _ uint64, ends, hits []uint32) {
			for k, u := range ends {
				ends[k] = lent.Words[u] // its place
			}
			sizes[i] = uint32(len(hits))
		})
		for _, u := range others {
			lent.Bits[u>>6] = 0
		}
		begin, other = end, groups.OtherEnds[k]
	}
	return nil
}

// never is for a search that nothing ends early.
func never() bool { return false }

// edges writes the edges that were found to a result.
func (s *scratch) edges(g *graph.Graph, groups Groups) (Edges, error) {
	n := len(s.hits)
	var out Edges
	if err := buffer.GrowLent(&out.Places, 2*n, nil); err != nil {
		return Edges{}, err
	}
	if err := buffer.GrowLent(&out.IDs, n, nil); err != nil {
		out.Return()
		return Edges{}, err
	}
	if groups.Order == ByOther {
		s.scatter(g, len(groups.Others), out.Places[:n], out.Places[n:], out.IDs)
		return out, nil
	}
	vertices, at := out.Places[:n], 0
	for i, v := range s.vertices {
		first := g.Indptr[v]
		for end := at + int(s.sizes[i]); at < end; at++ {
			vertices[at], out.IDs[at] = int64(i), int64(first)+int64(s.hits[at])
		}
	}
	for k, place := range s.ends {
		out.Places[n+k] = int64(place)
	}
	replaceByIDs(g, out.IDs)
	return out, nil
}

// scatter writes the edges by the places of their ends: a counting sort.
func (s *scratch) scatter(g *graph.Graph, others int, ends, vertices, ids []int64) {
	// 1. The first edge to each place.
	next := make([]uint64, others+1)
	for _, place := range s.ends {
		next[place+1]++
	}
	for place := range others {
		next[place+1] += next[place]
	}
	// 2. Write each edge.
	at := 0
	for i, v := range s.vertices {
		first := int64(g.Indptr[v])
		for end := at + int(s.sizes[i]); at < end; at++ {
			place := s.ends[at]
			k := next[place]
			next[place]++
			ends[k], vertices[k], ids[k] = int64(place), int64(i), first+int64(s.hits[at])
		}
	}
	replaceByIDs(g, ids)
}

// replaceByIDs replaces positions of edges by their ids.
func replaceByIDs(g *graph.Graph, positions []int64) {
	switch {
	case g.EdgeIDs != nil:
		for k, position := range positions {
			positions[k] = int64(g.EdgeIDs[position])
		}
	case g.EdgeIDs64 != nil:
		for k, position := range positions {
			positions[k] = int64(g.EdgeIDs64[position])
		}
	}
}
