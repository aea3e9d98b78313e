package apptest

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// laborHops has the random numbers of the end points, by hop and type. Each is uniform in [0, 1] and independent of all others.
// The numbers are never drawn: only what the choices of vertices depend on is.
type laborHops map[[2]int]*laborNumbers

// laborNumbers are the random numbers of the end points of one type in one hop.
type laborNumbers struct {
	order  []uint32              // sequential Poisson sampling: the end points so far, from the smallest number to the largest
	bounds map[uint32][2]float64 // Poisson sampling: an interval that contains the number of an end point
}

// of returns the random numbers of the end points of a type in a hop.
func (l laborHops) of(a *app.NeighborSampling, hop, source int) *laborNumbers {
	if a.LayerDependency {
		hop = 0
	}
	key := [2]int{hop, source}
	if l[key] == nil {
		l[key] = &laborNumbers{bounds: map[uint32][2]float64{}}
	}
	return l[key]
}

// picks returns the positions that a vertex takes, among those that it may take.
func (n *laborNumbers) picks(s *script, a *app.NeighborSampling, g *graph.Graph, left []uint64, weights []float64, k int) []uint64 {
	if k < 0 {
		k = len(left)
	}
	switch {
	case a.Method == app.MethodLaborPoisson:
		var taken []uint64
		for _, p := range left {
			if n.below(s, g.Indices[p], min(1, float64(k)/float64(len(left)))) {
				taken = append(taken, p)
			}
		}
		return taken
	case a.Weighted != app.No && g.Weighted():
		return smallestRatios(s, left, weights, k)
	}
	if len(left) <= k {
		return left
	}
	// The k edges to the end points with the smallest numbers; parallel edges in row order.
	for _, p := range left {
		n.place(s, g.Indices[p])
	}
	sorted := slices.Clone(left)
	slices.SortStableFunc(sorted, func(p, q uint64) int {
		return slices.Index(n.order, g.Indices[p]) - slices.Index(n.order, g.Indices[q])
	})
	sorted = sorted[:k]
	slices.Sort(sorted)
	return sorted
}

// place inserts an end point at a uniformly random place of the order, unless it has one.
func (n *laborNumbers) place(s *script, v uint32) {
	if !slices.Contains(n.order, v) {
		n.order = slices.Insert(n.order, s.choose(slices.Repeat([]float64{1}, len(n.order)+1)), v)
	}
}

// below reports whether the number of v is below a limit.
func (n *laborNumbers) below(s *script, v uint32, limit float64) bool {
	b, known := n.bounds[v]
	if !known {
		b = [2]float64{0, 1}
	}
	switch {
	case limit <= b[0]:
		return false
	case limit >= b[1]:
		return true
	}
	below := s.choose([]float64{limit - b[0], b[1] - limit}) == 0
	if below {
		b[1] = limit
	} else {
		b[0] = limit
	}
	n.bounds[v] = b
	return below
}

// smallestRatios takes the k edges with the smallest ratio of number and weight, in a batch in which no end point is reached
// from two vertices or by two edges. Ratio i is uniform in [0, 1/weight i]. Between two consecutive ends of these intervals all
// ratios are uniform, so every order of those there is equally likely.
func smallestRatios(s *script, left []uint64, weights []float64, k int) []uint64 {
	var some []int
	var ends []float64
	for i, w := range weights {
		if w > 0 {
			some, ends = append(some, i), append(ends, 1/w)
		}
	}
	var taken []uint64
	if len(some) <= k {
		for _, i := range some {
			taken = append(taken, left[i])
		}
		return taken
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	// 1. Draw the part of each interval.
	parts := make([][]int, len(ends))
	for _, i := range some {
		lengths, begin := make([]float64, len(ends)), 0.0
		for j, end := range ends {
			if end <= 1/weights[i] {
				lengths[j] = end - begin
			}
			begin = end
		}
		part := s.choose(lengths)
		parts[part] = append(parts[part], i)
	}
	// 2. Take from the parts in order, uniformly at random within a part.
	for _, part := range parts {
		for len(part) > 0 && len(taken) < k {
			at := s.choose(slices.Repeat([]float64{1}, len(part)))
			taken = append(taken, left[part[at]])
			part = slices.Delete(slices.Clone(part), at, at+1)
		}
	}
	slices.Sort(taken)
	return taken
}
