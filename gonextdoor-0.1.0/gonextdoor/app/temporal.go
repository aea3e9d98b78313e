package app

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// period is the range of the times of the edges that a tree may take, both ends included.
type period struct{ first, last int64 }

// periodOf returns the period of a tree; it is not used if choices are not temporal.
func (s SeedNodes) periodOf(tree uint32) period {
	if s.Times == nil {
		return period{}
	}
	return period{s.Earliest(tree), s.Times[tree]}
}

// takeTemporal is take among the edges in a period, in the order of their times, then of the row.
func (a *NeighborSampling) takeTemporal(
	h *graph.Hetero, r int, u uint32, key rng.Key, fanout int, of period, excluded map[int64]bool,
) []uint64 {
	// 1. Collect the eligible edges in the order of their times.
	g := h.Relations[r].Graph
	var row []uint64
	first, end := g.Row(u)
	for p := first; p < end; p++ {
		if t := h.EdgeTime(r, p); of.first <= t && t <= of.last && !excluded[int64(g.EdgeID(p))] {
			row = append(row, p)
		}
	}
	slices.SortStableFunc(row, func(p, q uint64) int { return cmp.Compare(h.EdgeTime(r, p), h.EdgeTime(r, q)) })
	// 2. Pick among them by their biases.
	weighted := a.Weighs(g)
	biases := make([]uint32, len(row))
	for i, p := range row {
		if biases[i] = 1; weighted {
			biases[i] = g.Biases[p]
		}
	}
	picks := a.pickTemporal(key, fanout, biases, weighted)
	for i, p := range picks {
		picks[i] = row[p]
	}
	return picks
}

// pickTemporal picks fanout of the edges of a row, which are in the order of their times. TemporalLast takes the last ones
// with a bias, in their order. Weighted choices are drawn by prefix sums, which serve every range of the row.
func (a *NeighborSampling) pickTemporal(key rng.Key, fanout int, biases []uint32, weighted bool) (picks []uint64) {
	n := uint64(len(biases))
	k, replace := n, false // all edges
	if fanout >= 0 {
		k, replace = uint64(fanout), a.Replace
	}
	switch {
	case a.Temporal == TemporalLast:
		for i := len(biases) - 1; i >= 0 && uint64(len(picks)) < k; i-- {
			if biases[i] > 0 {
				picks = append(picks, uint64(i))
			}
		}
		slices.Reverse(picks)
		return picks
	case replace && weighted:
		for i := range k {
			if j := selector.Scan(key.Word(i), len(biases), func(j int) uint64 { return uint64(biases[j]) }); j >= 0 {
				picks = append(picks, uint64(j))
			}
		}
		return picks
	case weighted:
		return selector.SuccessiveSearch(key, k, biases, nil)
	}
	return Choices(index.Candidates{N: n}, key, k, replace, No)
}
