package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/selector"
)

// WeightBound is the bound of biases by weight. The largest bias of a row is at least half of it.
const WeightBound = 1 << 32

// LargestDegree returns the bound of degrees as biases: the largest degree, at least 1.
func LargestDegree(g *graph.Graph) uint64 { return max(1, min(g.MaxDegree(), math.MaxUint32)) }

// Product returns the bias times a factor in units of 2^-32, which is at most 2^32. It is rounded down, but a positive bias
// never becomes 0.
func Product(bias, factor uint64) uint64 {
	if bias == 0 {
		return 0
	}
	return max(1, bias*factor>>32)
}

// SecondOrder has the factors of second-order biases, in units of 2^-32 of the largest, which is 2^32.
type SecondOrder struct {
	Back uint64 // of the edge to the previous vertex
	Near uint64 // of edges to neighbours of the previous vertex
	Away uint64 // of all other edges
}

// Of returns the factor of an edge to candidate from a vertex that was reached from prev. It costs a search of the row of
// prev.
func (s SecondOrder) Of(g *graph.Graph, prev, candidate uint32) uint64 {
	switch {
	case candidate == prev:
		return s.Back
	case g.HasEdge(prev, candidate):
		return s.Near
	default:
		return s.Away
	}
}

// Scan selects an edge of the row [first, end) in proportion to its bias times its factor from prev, by one word. It returns its
// number in the row, or -1 if no edge has a bias. near reports whether the end point of edge i of the row is a neighbour of prev;
// it is not called for edges to prev.
func (s SecondOrder) Scan(word uint64, g *graph.Graph, first, end uint64, prev uint32, weighted bool, near func(i int) bool) int64 {
	return selector.Scan(word, int(end-first), func(i int) uint64 {
		at, bias := first+uint64(i), s.Away
		switch {
		case g.Indices[at] == prev:
			bias = s.Back
		case near(i):
			bias = s.Near
		}
		if weighted {
			bias *= uint64(g.Biases[at])
		}
		return bias
	})
}

// Place is a place in the region Near or Back of a step: a slot, counted from the begin of the region, and a fraction.
type Place struct {
	Slot     uint64
	Fraction uint32
	Scale    uint64 // number of edges of the previous vertex for Near, 1 for Back
	Factor   uint64 // of the region
}

// Selects reports whether edges with a share select the place, among those to one vertex.
func (p Place) Selects(share uint64) bool {
	return selector.Within(p.Slot, p.Fraction, share*p.Scale, p.Factor)
}

// Edge returns the position of the edge to x, among those from first to end-1, that the place selects: the first whose share,
// added to those before it and times Scale*Factor, exceeds the place. It returns graph.NoEdge if there is none. It searches the
// row, whose Reach is r.
func (p Place) Edge(g *graph.Graph, first, end uint64, x uint32, weighted bool, r index.Reach) uint64 {
	return p.EdgeFrom(g, first+uint64(lowerBound(g.Indices[first:end], x)), end, x, weighted, r)
}

// EdgeFrom is Edge if at is the position of the first edge to x, or of another vertex's if there is none.
func (p Place) EdgeFrom(g *graph.Graph, at, end uint64, x uint32, weighted bool, r index.Reach) uint64 {
	for sum := uint64(0); at < end && g.Indices[at] == x; at++ {
		bias := uint64(1)
		if weighted {
			bias = uint64(g.Biases[at])
		}
		if sum += r.Of(bias); p.Selects(sum) {
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
