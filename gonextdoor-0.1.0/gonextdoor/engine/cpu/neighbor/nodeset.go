package neighbor

import (
	"slices"

	"gonextdoor/gonextdoor/engine/cpu/idmap"
)

// nodeSet is the set of discovered nodes of one type, with their local ids.
type nodeSet struct {
	idmap.Nodes
	ids      idmap.Numberer  // shared or disjoint, depending on the batch
	shared   idmap.Numberer  // for trees that share nodes; nil before the first such batch
	disjoint *idmap.Disjoint // for disjoint trees; nil before the first such batch
	hopEnds  []int           // number of nodes after the seed nodes, then after each hop
}

// begin prepares the empty set for a batch. vertices is the number of vertices of the type. For the first batch of a kind it
// allocates the id map.
func (s *nodeSet) begin(disjoint bool, vertices int, hash bool) error {
	s.Vertices, s.Trees, s.hopEnds = s.Vertices[:0], s.Trees[:0], s.hopEnds[:0]
	switch {
	case disjoint && s.disjoint == nil:
		ids, err := idmap.NewDisjoint()
		if err != nil {
			return err
		}
		s.disjoint = ids
	case !disjoint && s.shared == nil:
		ids, err := idmap.New(vertices, hash)
		if err != nil {
			return err
		}
		s.shared = ids
	}
	if s.ids = s.shared; disjoint {
		s.ids = s.disjoint
	}
	return nil
}

// discover replaces vertices by their local ids and adds those that are new. trees holds the tree of each vertex; nil
// unless trees are disjoint.
func (s *nodeSet) discover(vertices []int64, trees []uint32) error {
	return s.ids.Number(vertices, trees, &s.Nodes)
}

// endHop records the number of nodes at the end of a hop.
func (s *nodeSet) endHop() { s.hopEnds = append(s.hopEnds, len(s.Vertices)) }

// newPerHop returns the number of seed nodes, then the number of nodes that each hop discovered.
func (s *nodeSet) newPerHop() []int {
	counts := slices.Clone(s.hopEnds)
	for i := len(counts) - 1; i > 0; i-- {
		counts[i] -= counts[i-1]
	}
	return counts
}

// forget removes all ids.
func (s *nodeSet) forget() {
	if s.ids != nil {
		s.ids.Reset(&s.Nodes)
	}
}

// free frees the memory outside of Go's heap.
func (s *nodeSet) free() {
	if s.shared != nil {
		s.shared.Free()
	}
	if s.disjoint != nil {
		s.disjoint.Free()
	}
}
