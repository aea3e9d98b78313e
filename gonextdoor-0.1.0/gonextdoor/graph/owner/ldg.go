package owner

import (
	"math/bits"

	"gonextdoor/gonextdoor/graph"
)

// A part of LDG may reach slackNumerator/slackDenominator times the mean size.
const (
	slackNumerator   = 11
	slackDenominator = 10
)

// LDG assigns the vertices of g by linear deterministic greedy streaming (Stanton & Kliot, KDD'12), which keeps neighbours
// together. It takes one pass over the rows in order of the vertices. The size of a part is the number of its vertices and
// edges. Each vertex is assigned to the part i with the largest
//
//	(neighbours of the vertex in part i) * (capacity - size of part i)
//
// where the capacity is 1.1 times the mean size, and the smallest number decides between equal parts. A vertex without
// neighbours in a part with space is assigned to the smallest part. The pass needs the owners, and a few words per part.
func LDG(g *graph.Graph, parts int, opts graph.Options) (*Map, error) {
	n := g.NumVertices()
	s := &greedy{owners: NewMap(n, parts), placed: newLoads(parts), near: make([]uint32, parts)}
	total := uint64(n) + uint64(g.NumEdges())
	s.capacity = total/uint64(parts)*slackNumerator/slackDenominator + 1
	for v := range uint32(n) {
		if v%graph.VertexChunk == 0 {
			if err := opts.Job.Err(); err != nil {
				return nil, err
			}
			opts.Job.Add(int64(min(graph.VertexChunk, n-int(v))))
		}
		s.place(g, v)
	}
	return s.owners, nil
}

// greedy is the state of LDG.
type greedy struct {
	owners   *Map
	placed   loads
	capacity uint64
	near     []uint32 // neighbours of the vertex in each part; zero between two vertices
	touched  []int    // the parts with neighbours of the vertex
}

// place assigns vertex v. Only smaller vertices have been placed.
func (s *greedy) place(g *graph.Graph, v uint32) {
	for _, u := range g.Neighbors(v) {
		if u >= v {
			break // rows are sorted
		}
		part := s.owners.Owner(u)
		if s.near[part] == 0 {
			s.touched = append(s.touched, part)
		}
		s.near[part]++
	}
	size := 1 + g.Degree(v)
	best, high, low := -1, uint64(0), uint64(0)
	for _, part := range s.touched {
		used := s.placed.of(part)
		if used+size <= s.capacity {
			h, l := bits.Mul64(uint64(s.near[part]), s.capacity-used)
			if h > high || h == high && (l > low || l == low && part < best) {
				best, high, low = part, h, l
			}
		}
		s.near[part] = 0
	}
	s.touched = s.touched[:0]
	if best < 0 {
		best = s.placed.smallest()
	}
	s.owners.Set(v, best)
	s.placed.add(best, size)
}

// loads are the sizes of parts, in a tree that gives the smallest: node i has the children 2i and 2i+1, and the leaves are the
// parts, padded to a power of two with parts of infinite size.
type loads struct {
	leaves int
	sizes  []uint64
	least  []int // the part of the smallest size below each inner node, the first of equal ones
}

// newLoads returns the loads of empty parts.
func newLoads(parts int) loads {
	leaves := 1 << bits.Len(uint(parts-1))
	l := loads{leaves: leaves, sizes: make([]uint64, leaves), least: make([]int, 2*leaves)}
	for i := range leaves {
		l.least[leaves+i] = i
		if i >= parts {
			l.sizes[i] = 1<<64 - 1
		}
	}
	for i := leaves - 1; i > 0; i-- {
		l.update(i)
	}
	return l
}

// of returns the size of a part.
func (l *loads) of(part int) uint64 { return l.sizes[part] }

// smallest returns the part of the smallest size, the first of equal ones.
func (l *loads) smallest() int { return l.least[1] }

// add adds to the size of a part.
func (l *loads) add(part int, size uint64) {
	l.sizes[part] += size
	for i := (l.leaves + part) / 2; i > 0; i /= 2 {
		l.update(i)
	}
}

// update recomputes an inner node from its children.
func (l *loads) update(i int) {
	l.least[i] = l.least[2*i]
	if right := l.least[2*i+1]; l.sizes[right] < l.sizes[l.least[i]] {
		l.least[i] = right
	}
}
