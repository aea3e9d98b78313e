package app

import (
	"fmt"
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// SeedNodes has the seed nodes of a mini-batch, and what the batch must exclude.
type SeedNodes struct {
	Vertices [][]uint32 // by type; the root of tree i is the i-th vertex of all, type after type
	Times    []int64    // of each tree, if choices are temporal
	Windows  []int64    // of each tree, how long before its time an edge may be, at least 0; nil: any edge before it
	Excluded [][]int64  // ids of edges that must not be taken, by relation; nil: none
}

// Count returns the number of seed nodes of all types.
func (s SeedNodes) Count() (n int) {
	for _, v := range s.Vertices {
		n += len(v)
	}
	return n
}

// Timed returns the seed nodes with the times of their vertices, if choices are temporal and no times are given. It returns
// an error if the vertices have no times.
func (s SeedNodes) Timed(a *NeighborSampling, h *graph.Hetero) (SeedNodes, error) {
	if a.Temporal == "" || s.Times != nil {
		return s, nil
	}
	s.Times = make([]int64, 0, s.Count())
	for t, vertices := range s.Vertices {
		if len(vertices) > 0 && (h.Times == nil || h.Times[t] == nil) {
			return s, refuse.Value("times is missing: expected one time per seed, since %s have no times", h.OfType("the vertices of the graph", t))
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

// Earliest returns the earliest time of an edge that a tree may take. The latest is Times[tree].
func (s SeedNodes) Earliest(tree uint32) int64 {
	if s.Windows == nil {
		return math.MinInt64
	}
	if earliest := s.Times[tree] - s.Windows[tree]; earliest <= s.Times[tree] {
		return earliest
	}
	return math.MinInt64 // the difference overflowed
}

// Check returns an error if a seed node is not a vertex, occurs twice although trees are not disjoint, if there is not one
// time per tree, if there are windows that do not fit the times, or if an excluded edge does not exist.
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
				return refuse.Value("%s[%d] = %d: this vertex is also %s[%d]; expected distinct vertices", name, i, v, name, j)
			}
			seen[v] = i
		}
	}
	return nil
}

// Fit is Check except for the vertices, which fast engines check when they assign local ids.
func (s SeedNodes) Fit(a *NeighborSampling, h *graph.Hetero) error {
	want := 0
	if a.Temporal != "" {
		want = s.Count()
	}
	switch {
	case len(s.Vertices) != len(h.Counts):
		return refuse.Value("seed_nodes has %d parts: expected %d, one per vertex type", len(s.Vertices), len(h.Counts))
	case a.Temporal == "" && s.Times != nil:
		return refuse.Value("times has %d elements: expected none, since temporal is None", len(s.Times))
	case len(s.Times) != want:
		return refuse.Value("times has %d elements: expected %d, one per seed", len(s.Times), want)
	case a.Temporal == "" && s.Windows != nil:
		return refuse.Value("time_window has %d elements: expected none, since temporal is None", len(s.Windows))
	case s.Windows != nil && len(s.Windows) != want:
		return refuse.Value("time_window has %d elements: expected %d, one per seed", len(s.Windows), want)
	case s.Excluded != nil && len(s.Excluded) != len(h.Relations):
		return refuse.Value("exclude has %d parts: expected %d, one per relation", len(s.Excluded), len(h.Relations))
	}
	for i, window := range s.Windows {
		if window < 0 {
			return refuse.Value("time_window[%d] = %d: expected 0 or more", i, window)
		}
	}
	for r, ids := range s.Excluded {
		if len(ids) == 0 {
			continue
		}
		if err := h.Relations[r].Graph.RefuseEdgeIDs(fmt.Sprintf("%s[0] = %d", h.OfRelation("exclude", r), ids[0])); err != nil {
			return err
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

// outside returns the error for a seed node that is not a vertex.
func outside(h *graph.Hetero, t, i int, v uint32) error {
	return refuse.Index("%s[%d] = %d: the graph has %d vertices", h.OfType("seed_nodes", t), i, v, h.Counts[t])
}

// excludedSet returns the excluded edges of relation r as a set.
func (s SeedNodes) excludedSet(r int) map[int64]bool {
	if s.Excluded == nil {
		return nil
	}
	set := make(map[int64]bool, len(s.Excluded[r]))
	for _, id := range s.Excluded[r] {
		set[id] = true
	}
	return set
}
