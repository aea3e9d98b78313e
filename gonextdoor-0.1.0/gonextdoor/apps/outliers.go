package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// outlierStep is a step of Node2Vec with outliers, from v, which was reached from prev.
type outlierStep struct {
	g        *graph.Graph
	prev, v  uint32
	weighted app.Weighted
	order    app.SecondOrder
	outliers selector.Outliers
	regions  selector.Regions
	reach    index.Reach
}

// newOutlierStep returns the step. It reads row v completely unless index.ReachOf has built its table.
func newOutlierStep(g *graph.Graph, prev, v uint32, weighted app.Weighted, order app.SecondOrder, o selector.Outliers) *outlierStep {
	s := &outlierStep{g: g, prev: prev, v: v, weighted: weighted, order: order, outliers: o}
	s.reach = index.ReachAt(g, v, weighted == app.Yes)
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
		return s.leads(x, app.Place{Slot: slot - s.regions.Row, Fraction: fraction, Scale: uint64(len(from)), Factor: s.outliers.ShortNear})
	case s.regions.Short():
		return s.leads(s.prev, app.Place{Slot: slot - s.regions.Near, Fraction: fraction, Scale: 1, Factor: s.outliers.ShortBack})
	default:
		return s.leads(s.prev, app.Place{Slot: slot - s.regions.Near, Fraction: fraction, Scale: 1, Factor: s.outliers.Back})
	}
}

// row proposes an edge of the row by a slot and its fraction. If only neighbours of the previous vertex may be rejected for
// the region Near, all are accepted.
func (s *outlierStep) row(word, slot uint64, fraction uint32) (int64, bool) {
	i, accept := int64(slot), fraction
	if s.weighted == app.Yes {
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
func (s *outlierStep) leads(x uint32, p app.Place) (int64, bool) {
	first, end := s.g.Row(s.v)
	position := p.Edge(s.g, first, end, x, s.weighted == app.Yes, s.reach)
	return int64(position - first), position != graph.NoEdge
}
