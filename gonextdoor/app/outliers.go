package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Outliers returns the factors of the tries of a step. If 1/P is at most max(1, 1/Q), they are those of SecondOrder, and there
// are no outliers. Otherwise edges back are outliers, and the factors are in units of 2^-32 of max(1, 1/Q): Back is 2^32 and
// accepts every proposal of an edge back.
func (a *Node2Vec) Outliers() (SecondOrder, selector.Outliers) {
	back, away := 1/a.P, 1/a.Q
	most := max(1, away)
	if back <= most {
		return a.SecondOrder(), selector.Outliers{}
	}
	fixed := func(x float64) uint64 { return max(1, uint64(math.RoundToEven(x*(1<<32)))) }
	o := selector.Outliers{Back: fixed(back/most - 1)}
	if a.Q > 1 {
		o.ShortBack, o.ShortNear = fixed(a.Q/a.P-1), fixed(a.Q-1)
	}
	return SecondOrder{1 << 32, fixed(1 / most), fixed(away / most)}, o
}

// outlierStep is a step of Node2Vec with outliers, from v, which was reached from prev.
type outlierStep struct {
	g        *graph.Graph
	prev, v  uint32
	weighted Weighted
	order    SecondOrder
	outliers selector.Outliers
	regions  selector.Regions
	reach    index.Reach
}

// newOutlierStep returns the step. It reads row v completely unless index.ReachOf has built its table.
func newOutlierStep(g *graph.Graph, prev, v uint32, weighted Weighted, order SecondOrder, o selector.Outliers) *outlierStep {
	s := &outlierStep{g: g, prev: prev, v: v, weighted: weighted, order: order, outliers: o}
	s.reach = index.ReachAt(g, v, weighted == Yes)
	s.regions = o.Regions(g.Degree(v), g.Degree(prev), s.reach)
	return s
}

// try makes a try with a word. It returns the number of the edge within the row, and whether it is accepted; -1 if no edge of
// the row has a bias.
func (s *outlierStep) try(word uint64) (int64, bool) {
	slot, fraction := rng.Below(word, s.regions.Back)
	switch {
	case slot < s.regions.Row:
		return s.row(word, slot, fraction)
	case slot < s.regions.Near:
		from := s.g.Neighbors(s.prev)
		j, _ := rng.Below(rng.Key(word).Word(0), uint64(len(from)))
		x := from[j]
		if x == s.prev || j > 0 && from[j-1] == x { // an outlier, or a parallel edge
			return 0, false
		}
		return s.leads(x, Place{slot - s.regions.Row, fraction, uint64(len(from)), s.outliers.ShortNear})
	case s.regions.Short():
		return s.leads(s.prev, Place{slot - s.regions.Near, fraction, 1, s.outliers.ShortBack})
	default:
		return s.leads(s.prev, Place{slot - s.regions.Near, fraction, 1, s.outliers.Back})
	}
}

// row proposes an edge of the row by a slot and its fraction. If only neighbours of the previous vertex may be rejected for
// the region Near, all are accepted.
func (s *outlierStep) row(word, slot uint64, fraction uint32) (int64, bool) {
	i, accept := int64(slot), fraction
	if s.weighted == Yes {
		table := index.AliasRow(s.g, s.v)
		if len(table) == 0 {
			return -1, true
		}
		i, accept = selector.AliasAt(slot, fraction, table), rng.Second(word)
	}
	first := s.g.Indptr[s.v]
	return i, s.regions.Short() || uint64(accept) < s.order.Of(s.g, s.prev, s.g.Indices[first+uint64(i)])
}

// leads returns the edge to x that a place selects, and whether there is one.
func (s *outlierStep) leads(x uint32, p Place) (int64, bool) {
	first, end := s.g.Row(s.v)
	position := p.Edge(s.g, first, end, x, s.weighted == Yes, s.reach)
	return int64(position - first), position != graph.NoEdge
}

// Place is a place in the region Near or Back of a step: a slot, counted from the begin of the region, and a fraction.
type Place struct {
	Slot     uint64
	Fraction uint32
	Scale    uint64 // number of edges of the previous vertex for Near, 1 for Back
	Factor   uint64 // of the region
}

// Edge returns the position of the edge to x, among those from first to end-1, that the place selects: the first whose share,
// added to those before it and times Scale*Factor, exceeds the place. It returns graph.NoEdge if there is none. It searches the
// row, whose Reach is r.
func (p Place) Edge(g *graph.Graph, first, end uint64, x uint32, weighted bool, r index.Reach) uint64 {
	i := lowerBound(g.Indices[first:end], x)
	for sum, at := uint64(0), first+uint64(i); at < end && g.Indices[at] == x; at++ {
		bias := uint64(1)
		if weighted {
			bias = uint64(g.Biases[at])
		}
		if sum += r.Of(bias); selector.Within(p.Slot, p.Fraction, sum*p.Scale, p.Factor) {
			return at
		}
	}
	return graph.NoEdge
}

// lowerBound returns the number of the first element of a sorted row that is at least x. No branch depends on the elements,
// because they are unpredictable.
func lowerBound(row []uint32, x uint32) int {
	low := 0
	for n := len(row); n > 0; {
		half := (n + 1) / 2
		var skipped int
		if row[low+half-1] < x {
			skipped = half
		}
		low += skipped
		n -= half
	}
	return low
}
