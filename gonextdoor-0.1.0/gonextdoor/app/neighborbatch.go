package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// NeighborBatch is a mini-batch as the serial definition returns it.
type NeighborBatch struct {
	Nodes [][]uint32 // by type, then local id: the seed nodes, then the nodes that the hops discovered
	Trees [][]uint32 // the tree of each of Nodes; nil unless trees are disjoint
	New   [][]int    // by type: the number of seed nodes, then the number of nodes that each hop discovered
	Hops  [][]Hop    // by hop and relation
}

// Hop is the edges of one relation in one hop, in local ids. Of the nodes of the destination type, Destinations nodes from
// First on take edges. Destination First+i has the sources Indices[Indptr[i]:Indptr[i+1]].
type Hop struct {
	First, Destinations int
	Indptr              []int64
	Indices             []int64
	Positions           []uint64 // of the edges in the graph of the relation
}

// Sample is the serial definition. Each hop processes the relations in order. In each relation, the nodes discovered before
// the hop (all, or those of the previous hop) take edges, except excluded ones. End points get local ids, per type, in the
// order of their first appearance: by hop, relation, destination and slot. a must be bound to h, and s must have passed
// Check.
func (a *NeighborSampling) Sample(h *graph.Hetero, seed uint64, s SeedNodes) NeighborBatch {
	m := newNodeSet(a.Disjoint, s.Vertices)
	begin := make([]int, len(h.Counts)) // by type: the first node of the frontier
	excluded := make([]map[int64]bool, len(h.Relations))
	for r := range h.Relations {
		excluded[r] = s.excludedSet(r)
	}
	var hops [][]Hop
	for i, fanouts := range a.Fanouts {
		known := m.count()
		hop := make([]Hop, len(h.Relations))
		for r, rel := range h.Relations {
			stream, d := HopStream(seed, r, i), rel.Destination
			x := Hop{First: begin[d], Destinations: known[d] - begin[d], Indptr: []int64{0}}
			for j := begin[d]; j < known[d]; j++ {
				u, tree := m.nodes[d][j], m.treeOf(d, j)
				key := stream.Key(uint64(u))
				if a.Disjoint {
					key = stream.Key(uint64(tree)).Stream(0).Key(uint64(u))
				}
				var positions []uint64
				if a.Labor() {
					positions = a.takeLabor(rel.Graph, u, a.EndStream(seed, rel.Source, i), fanouts[r], excluded[r])
				} else {
					positions = a.take(h, r, u, key, fanouts[r], s.periodOf(tree), excluded[r])
				}
				for _, position := range positions {
					x.Indices = append(x.Indices, m.number(rel.Source, tree, rel.Graph.Indices[position]))
					x.Positions = append(x.Positions, position)
				}
				x.Indptr = append(x.Indptr, int64(len(x.Indices)))
			}
			hop[r] = x
		}
		hops = append(hops, hop)
		if m.endHop(); a.Expand == ExpandNew {
			begin = known
		}
	}
	return NeighborBatch{m.nodes, m.trees, m.fresh, hops}
}

// take returns the positions of the edges that u takes. of is the period of its tree.
func (a *NeighborSampling) take(h *graph.Hetero, r int, u uint32, key rng.Key, fanout int, of period, excluded map[int64]bool) []uint64 {
	g := h.Relations[r].Graph
	if a.Temporal != "" && h.Timed(r) {
		return a.takeTemporal(h, r, u, key, fanout, of, excluded)
	}
	c, weighted := index.CandidatesOf(g, u), a.Weighs(g)
	if !weighted && len(excluded) > 0 {
		c = index.CandidatesWithout(g, u, excluded)
	}
	k, replace := c.N, false // all edges
	if fanout >= 0 {
		k, replace = uint64(fanout), a.Replace
	}
	var picks []uint64
	if weighted {
		out := func(i uint64) bool { return excluded[int64(g.EdgeID(c.Position(i)))] }
		picks = selector.Excluding(key, k, c.Table(), c.Biases, replace, out, nil)
	} else {
		picks = Choices(c, key, k, replace, No)
	}
	for i, p := range picks {
		picks[i] = c.Position(p)
	}
	return picks
}

// nodeSet assigns local ids to nodes, separately per type, in the order in which they are discovered.
type nodeSet struct {
	nodes, trees [][]uint32 // by type
	fresh        [][]int    // by type: the number of seed nodes, then the number of nodes that each hop discovered
	local        []map[[2]uint32]int64
}

// newNodeSet returns a set of the seed nodes. If trees are disjoint each is in a separate tree, otherwise all are in one.
func newNodeSet(disjoint bool, seeds [][]uint32) *nodeSet {
	types := len(seeds)
	m := &nodeSet{nodes: make([][]uint32, types), fresh: make([][]int, types), local: make([]map[[2]uint32]int64, types)}
	if disjoint {
		m.trees = make([][]uint32, types)
	}
	tree := uint32(0)
	for t, vertices := range seeds {
		m.local[t] = map[[2]uint32]int64{}
		for _, v := range vertices {
			if m.number(t, tree, v); disjoint {
				tree++
			}
		}
	}
	m.endHop()
	return m
}

// number returns the local id of v, and adds v if it is new.
func (m *nodeSet) number(t int, tree, v uint32) int64 {
	i, ok := m.local[t][[2]uint32{tree, v}]
	if !ok {
		i = int64(len(m.nodes[t]))
		m.local[t][[2]uint32{tree, v}] = i
		if m.nodes[t] = append(m.nodes[t], v); m.trees != nil {
			m.trees[t] = append(m.trees[t], tree)
		}
	}
	return i
}

// treeOf returns the tree of node i of a type.
func (m *nodeSet) treeOf(t, i int) uint32 {
	if m.trees == nil {
		return 0
	}
	return m.trees[t][i]
}

// count returns the number of nodes of each type.
func (m *nodeSet) count() []int {
	n := make([]int, len(m.nodes))
	for t := range n {
		n[t] = len(m.nodes[t])
	}
	return n
}

// endHop records the number of nodes discovered since the last call.
func (m *nodeSet) endHop() {
	for t, fresh := range m.fresh {
		n := len(m.nodes[t])
		for _, f := range fresh {
			n -= f
		}
		m.fresh[t] = append(fresh, n)
	}
}
