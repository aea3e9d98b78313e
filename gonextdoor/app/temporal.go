package app

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// takeBefore is take among the edges whose time is not after a time, in order of time, then of the graph.
func (a *NeighborSampling) takeBefore(
	h *graph.Hetero, r int, u uint32, key rng.Key, fanout int, time int64, excluded map[int64]bool,
) []uint64 {
	g := h.Relations[r].Graph
	var row []uint64
	first, end := g.Row(u)
	for p := first; p < end; p++ {
		if h.EdgeTime(r, p) <= time && !excluded[int64(g.EdgeID(p))] {
			row = append(row, p)
		}
	}
	slices.SortStableFunc(row, func(p, q uint64) int { return cmp.Compare(h.EdgeTime(r, p), h.EdgeTime(r, q)) })
	weighted := a.Weighs(g)
	biases := make([]uint32, len(row))
	for i, p := range row {
		if biases[i] = 1; weighted {
			biases[i] = g.Biases[p]
		}
	}
	picks := a.pickBefore(key, fanout, biases, weighted)
	for i, p := range picks {
		picks[i] = row[p]
	}
	return picks
}

// pickBefore takes some of a row in order of time. The latest are taken among those with a bias, and keep their order.
// Weighted choices are drawn by running sums, which serve every beginning of the row.
func (a *NeighborSampling) pickBefore(key rng.Key, fanout int, biases []uint32, weighted bool) (picks []uint64) {
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
	return choices(index.Candidates{N: n}, key, k, replace, No)
}
