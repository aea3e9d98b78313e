package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// SeedNodes are what a mini-batch begins with.
type SeedNodes struct {
	Vertices [][]uint32 // by type; tree i has the i-th of all as its root, one type behind the other
	Times    []int64    // of each tree, where choices are temporal
	Excluded [][]int64  // ids of the edges that are left out, by relation; nil: none
}

// Count gives the number of seeds, of all types.
func (s SeedNodes) Count() (n int) {
	for _, v := range s.Vertices {
		n += len(v)
	}
	return n
}

// Timed gives the seeds with the times of their vertices, where choices are temporal and no others are given.
func (s SeedNodes) Timed(a *NeighborSampling, h *graph.Hetero) (SeedNodes, error) {
	if a.Temporal == "" || s.Times != nil {
		return s, nil
	}
	s.Times = make([]int64, 0, s.Count())
	for t, vertices := range s.Vertices {
		if len(vertices) > 0 && (h.Times == nil || h.Times[t] == nil) {
			return s, refuse.Value("times is missing: expected one time a seed, since %s has no times of its own", h.OfType("the vertices of the graph", t))
		}
		for i, v := range vertices {
			if int(v) >= h.Counts[t] {
				return s, outside(h, t, i, v)
			}
			s.Times = append(s.Times, h.Times[t][v])
		}
	}
	return s, nil
}

// Check refuses seeds that are no vertices, or that repeat where trees are not disjoint, times in the wrong number, and
// excluded edges that are not there.
func (s SeedNodes) Check(a *NeighborSampling, h *graph.Hetero) error {
	if err := s.Fit(a, h); err != nil {
		return err
	}
	for t, vertices := range s.Vertices {
		seen := map[uint32]int{}
		for i, v := range vertices {
			if int(v) >= h.Counts[t] {
				return outside(h, t, i, v)
			}
			if j, again := seen[v]; again && !a.Disjoint {
				name := h.OfType("seed_nodes", t)
				return refuse.Value("%s[%d] = %d: it is %s[%d] too; expected different vertices", name, i, v, name, j)
			}
			seen[v] = i
		}
	}
	return nil
}

// Fit is Check of all but the vertices, which fast engines check as they number them.
func (s SeedNodes) Fit(a *NeighborSampling, h *graph.Hetero) error {
	want := 0
	if a.Temporal != "" {
		want = s.Count()
	}
	switch {
	case len(s.Vertices) != len(h.Counts):
		return refuse.Value("seed_nodes has %d parts: expected %d, one a type of vertices", len(s.Vertices), len(h.Counts))
	case a.Temporal == "" && s.Times != nil:
		return refuse.Value("times has %d elements: expected none, since temporal is None", len(s.Times))
	case len(s.Times) != want:
		return refuse.Value("times has %d elements: expected %d, one a seed", len(s.Times), want)
	case s.Excluded != nil && len(s.Excluded) != len(h.Relations):
		return refuse.Value("exclude has %d parts: expected %d, one a relation", len(s.Excluded), len(h.Relations))
	}
	for r, ids := range s.Excluded {
		if len(ids) == 0 {
			continue
		}
		inverse, err := index.InverseOf(h.Relations[r].Graph)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if uint64(id) >= inverse.IDs() {
				return refuse.Index("%s[%d] = %d: the graph's edge ids are below %d", h.OfRelation("exclude", r), i, id, inverse.IDs())
			}
		}
	}
	return nil
}

func outside(h *graph.Hetero, t, i int, v uint32) error {
	return refuse.Index("%s[%d] = %d: the graph has %d vertices", h.OfType("seed_nodes", t), i, v, h.Counts[t])
}

// out gives the excluded edges of relation r as a set.
func (s SeedNodes) out(r int) map[int64]bool {
	if s.Excluded == nil {
		return nil
	}
	set := make(map[int64]bool, len(s.Excluded[r]))
	for _, id := range s.Excluded[r] {
		set[id] = true
	}
	return set
}
