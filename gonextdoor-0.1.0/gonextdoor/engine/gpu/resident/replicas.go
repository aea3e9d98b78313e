package resident

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// replica is a piece of a split array of which a GPU that is not its home may have a copy.
type replica struct {
	array, piece int
	bytes        int64
	class        int   // of usefulness: classSmall ... classEdges
	score        int64 // order within the class, the largest first
}

// The classes of replicas, in the order in which they are made.
const (
	classSmall    = iota // of small arrays
	classVertices        // of arrays by vertex
	classHash            // of the edge bitmap
	classEdges           // of arrays by edge
)

// candidates returns the pieces whose home is another GPU than m, the most useful first.
func (s *split) candidates(m int) (list []replica) {
	for k, a := range s.arrays {
		class := [...]int{byVertex: classVertices, byHash: classHash, byEdge: classEdges}[a.along]
		if s.group.small(a.bytes) {
			class = classSmall
		}
		for i, p := range a.pieces {
			if p.home != m {
				list = append(list, replica{array: k, piece: i, bytes: p.bytes, class: class})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b replica) int { return cmp.Compare(a.class, b.class) })
	return list
}

// choose returns the pieces of which GPU m gets replicas: the most useful ones of at most spare bytes together.
func (s *split) choose(m int, spare int64) (chosen []replica) {
	list := s.candidates(m)
	total := int64(0)
	for _, one := range list {
		total += one.bytes
	}
	if total > spare { // the order matters
		s.score(list)
	}
	for _, one := range list {
		if one.bytes <= spare {
			spare -= one.bytes
			chosen = append(chosen, one)
		}
	}
	return chosen
}

// score sorts replicas of edges by how often mini-batches read them. A mini-batch reads a vertex as often as edges lead to it,
// which is its degree in an undirected graph, and then a bounded number of its edges.
func (s *split) score(list []replica) {
	for i := range list {
		one := &list[i]
		if one.class != classEdges {
			continue
		}
		a := s.arrays[one.array]
		last := a.pieces[len(a.pieces)-1]
		perByte := float64(s.graph.NumEdges()) / float64(last.at+last.bytes)
		at := a.pieces[one.piece].at
		one.score = heat(s.graph, uint64(float64(at)*perByte), uint64(float64(at+one.bytes)*perByte)) / max(1, one.bytes>>10)
	}
	slices.SortStableFunc(list, func(a, b replica) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.score, a.score))
	})
}

// heat returns the sum of the degrees of the sources of edges, each up to plan.HotDegree.
func heat(g *graph.Graph, first, end uint64) (sum int64) {
	first, end = first+g.Indptr[0], end+g.Indptr[0]
	u := sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > first })
	for ; u < g.NumVertices() && g.Indptr[u] < end; u++ {
		edges := min(g.Indptr[u+1], end) - max(g.Indptr[u], first)
		sum += int64(edges * min(g.Degree(uint32(u)), plan.HotDegree))
	}
	return sum
}

// view gives GPU m its addresses of all arrays, and copies its replicas in a stream of the GPU builder. After an error the
// caller calls free, once the stream is idle.
func (s *split) view(m int, replicas []replica, builder *cuda.Device, stream cuda.Stream) error {
	d := s.group.stores[m].device
	for _, one := range replicas {
		if err := d.Do(func() error {
			c, err := d.NewChunk(one.bytes)
			if err == nil {
				s.arrays[one.array].copies[m][one.piece] = &c
			}
			return err
		}); err != nil {
			if errors.Is(err, cuda.ErrMemory) {
				break // another library took the memory
			}
			return err
		}
	}
	for _, a := range s.arrays {
		if len(a.copies[m]) == 0 {
			a.views[m] = a.home
			continue
		}
		if err := s.viewArray(a, m, builder, stream); err != nil {
			return err
		}
	}
	return nil
}

// viewArray maps one array for GPU m, with its replicas, and copies these.
func (s *split) viewArray(a *splitArray, m int, builder *cuda.Device, stream cuda.Stream) (err error) {
	a.views[m], err = s.mapped(a, func(i int) cuda.Chunk {
		if c := a.copies[m][i]; c != nil {
			return *c
		}
		return a.pieces[i].chunk
	})
	if err != nil {
		return err
	}
	at := a.views[m]
	for _, d := range []*cuda.Device{s.group.stores[m].device, builder} {
		if err := at.Allow(d, 0, at.Bytes); err != nil {
			return err
		}
	}
	for i, p := range a.pieces {
		if a.copies[m][i] == nil {
			continue
		}
		if err := builder.Copy(at.Address+uintptr(p.at), a.home.Address+uintptr(p.at), p.bytes, stream); err != nil {
			return err
		}
	}
	return nil
}

// remap maps another chunk at the addresses that GPU m has for a piece.
func (s *split) remap(view cuda.Span, m int, p piece, with cuda.Chunk) error {
	_ = view.Unmap(p.at, p.bytes) // fails if nothing is mapped, after a remap that failed
	if err := view.Map(p.at, with); err != nil {
		return err
	}
	return view.Allow(s.group.stores[m].device, p.at, p.bytes)
}

// thin replaces replicas of GPU m by the memory of their homes, the least useful first, until that many bytes are free. It
// returns how many are. The addresses stay the same. No call but that of the caller holds the layout on GPU m, and the store
// of GPU m is locked. It waits for all GPUs.
func (s *split) thin(m int, bytes int64) (freed int64, err error) {
	if err := s.synchronize(); err != nil {
		return 0, err
	}
	list := s.candidates(m)
	s.score(list)
	slices.Reverse(list)
	for _, one := range list {
		a := s.arrays[one.array]
		c := a.copies[m][one.piece]
		if freed >= bytes {
			break
		}
		if c == nil {
			continue
		}
		p := a.pieces[one.piece]
		if err := s.remap(a.views[m], m, p, p.chunk); err != nil {
			return freed, errors.Join(err, s.remap(a.views[m], m, p, *c)) // as before
		}
		delete(a.copies[m], one.piece)
		freed += p.bytes
		if err := c.Release(); err != nil {
			return freed, err
		}
	}
	return freed, nil
}
