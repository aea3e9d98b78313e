package owner

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Hot returns, in ascending order, the vertices of the largest degrees whose rows have at most the given share of all edges
// together. Of equal degrees the smaller vertices come first. The share is from 0 to 1.
func Hot(g *graph.Graph, share float64) ([]uint32, error) {
	return hotOf(g.NumVertices(), uint64(g.NumEdges()), g.Degree, share)
}

// HotOf is Hot of a graph whose degrees are known.
func HotOf(degrees []uint32, share float64) ([]uint32, error) {
	var edges uint64
	for _, d := range degrees {
		edges += uint64(d)
	}
	return hotOf(len(degrees), edges, func(v uint32) uint64 { return uint64(degrees[v]) }, share)
}

// hotOf is Hot of a graph with n vertices.
func hotOf(n int, edges uint64, degree func(v uint32) uint64, share float64) ([]uint32, error) {
	if !(share >= 0 && share <= 1) {
		return nil, refuse.Value("hot = %v: expected a share of the edges, from 0 to 1", share)
	}
	left := uint64(math.Floor(share * float64(edges)))
	// 1. Count the vertices of each degree.
	counts := map[uint64]uint64{}
	for v := range uint32(n) {
		counts[degree(v)]++
	}
	degrees := make([]uint64, 0, len(counts))
	for d := range counts {
		degrees = append(degrees, d)
	}
	slices.Sort(degrees)
	// 2. Find the smallest degree of a hot vertex, and how many vertices of that degree are hot.
	least, ties := uint64(math.MaxUint64), uint64(0)
	for _, d := range slices.Backward(degrees) {
		if d == 0 || left < d {
			break
		}
		least, ties = d, min(counts[d], left/d)
		left -= ties * d
		if ties < counts[d] {
			break
		}
	}
	// 3. List them.
	var hot []uint32
	for v := range uint32(n) {
		d := degree(v)
		if d == least && ties > 0 {
			ties--
			hot = append(hot, v)
		} else if d > least {
			hot = append(hot, v)
		}
	}
	return hot, nil
}
