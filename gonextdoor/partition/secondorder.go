package partition

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// secondOrder makes the tries of walks whose choices depend on the neighbours of the previous vertex (apps.Node2Vec). A try is
// made by the part that has the row of the present vertex. Most are decided there: by their fraction alone, because the
// candidate is the previous vertex, or because the part has a row that shows the edge. For each of the others, the walker asks
// another part:
//
//   - In a symmetric graph it goes to the candidate and checks there whether the previous vertex is a neighbour. If the
//     candidate is accepted, it stays; otherwise it returns and makes the next try.
//   - Otherwise it goes to the previous vertex, whose row shows the edge, and from there to the candidate or back.
//
// The bias of a candidate has one of two values, so the answer to one question decides: an edge accepts the candidate if Near
// is above Away, and rejects it if Near is below Away.
type secondOrder struct {
	order    app.SecondOrder // of tries
	scan     app.SecondOrder // of the scan after the last try
	outliers selector.Outliers
	weighted bool // of choices by alias tables
	computed bool // biases are products, which are computed
	check    bool // walkers go to the candidate; otherwise to the previous vertex
}

// newSecondOrder returns the tries of a bound app with the capability, or nil if it has none or needs no other row.
func newSecondOrder(a app.App, whole *WholeGraph) *secondOrder {
	if c, ok := a.(app.Computing); ok && c.Computes() && c.ComputedBias().Kind == app.BiasSecondOrder {
		order := c.ComputedBias().Order
		return &secondOrder{order: order, scan: order, computed: true, check: whole.Symmetric}
	}
	if s, ok := a.(app.SecondOrderer); ok && s.SecondOrder().Back > 0 {
		t := &secondOrder{scan: s.SecondOrder(), weighted: s.Weights() == app.Yes, check: whole.Symmetric}
		t.order, t.outliers = s.Outliers()
		return t
	}
	return nil
}

// try makes the try of a walker that its slot names. The position is that of the proposed edge.
func (t *secondOrder) try(r *rows, row uint32, w *walker, degree func(v uint32) uint64) (position uint64, v verdict) {
	first, end := r.indptr[row], r.indptr[row+1]
	if first == end {
		return graph.NoEdge, ended
	}
	word := w.key.Word(uint64(w.slot))
	switch {
	case t.computed:
		return t.propose(r, first, end-first, word, w)
	case w.prev != graph.None && uint64(w.slot&255) >= selector.MaxTries:
		return graph.NoEdge, whole
	case w.prev != graph.None && t.outliers.Back > 0:
		return t.tryApart(r, row, word, w, degree)
	}
	position, accept, ok := r.choose(row, word)
	if !ok {
		return graph.NoEdge, ended
	}
	if w.prev == graph.None {
		return position, accepted
	}
	return position, t.decide(r.indices[position], w.prev, uint64(accept))
}

// staged reports whether the tries are made by tryAll.
func (t *secondOrder) staged() bool { return !t.computed && !(t.weighted && t.outliers.Back > 0) }

// decide compares a fraction with the bias of a candidate.
func (t *secondOrder) decide(candidate, prev uint32, accept uint64) verdict {
	return decided(candidate == prev, accept < t.order.Back, accept < t.order.Near, accept < t.order.Away)
}

// propose makes a try by computed biases.
func (t *secondOrder) propose(r *rows, first, n, word uint64, w *walker) (uint64, verdict) {
	if uint64(w.slot&255) >= program.Tries(n) {
		return graph.NoEdge, whole
	}
	i, level := selector.Propose(word, n, app.WeightBound)
	position := first + i
	bias := uint64(r.g.Biases[position])
	if w.prev == graph.None {
		return position, decided(true, bias > level, false, false)
	}
	exceeds := func(factor uint64) bool { return app.Product(bias, factor) > level }
	return position, decided(r.indices[position] == w.prev, exceeds(t.order.Back), exceeds(t.order.Near), exceeds(t.order.Away))
}

// regions returns the regions of a try with outliers, and the Reach of the row.
func (t *secondOrder) regions(r *rows, row, prev uint32, degree func(v uint32) uint64) (selector.Regions, index.Reach) {
	reach := index.SingleReach
	if r.reach != nil {
		reach = r.reach[row]
	}
	return t.outliers.Regions(r.indptr[row+1]-r.indptr[row], degree(prev), reach), reach
}

// tryApart makes a try with outliers.
func (t *secondOrder) tryApart(r *rows, row uint32, word uint64, w *walker, degree func(v uint32) uint64) (uint64, verdict) {
	regions, reach := t.regions(r, row, w.prev, degree)
	slot, fraction := rng.Below(word, regions.Back)
	first, end := r.indptr[row], r.indptr[row+1]
	switch {
	case slot >= regions.Near:
		factor := t.outliers.Back
		if regions.Short() {
			factor = t.outliers.ShortBack
		}
		place := app.Place{Slot: slot - regions.Near, Fraction: fraction, Scale: 1, Factor: factor}
		return found(place.Edge(r.g, first, end, w.prev, t.weighted, reach))
	case slot >= regions.Row:
		return graph.NoEdge, near
	}
	position, accept := first+slot, fraction
	if t.weighted {
		if r.slots[first].Vertex == graph.None {
			return graph.NoEdge, ended
		}
		position, accept = first+uint64(selector.AliasAt(slot, fraction, r.slots[first:end])), rng.Second(word)
	}
	if regions.Short() {
		return position, accepted
	}
	return position, t.decide(r.indices[position], w.prev, uint64(accept))
}

// nearOf returns the end point of a row, that of the previous vertex, that a try in the region Near proposes. It is graph.None
// if the try is rejected: the edge leads to the previous vertex itself or is parallel to the one before it.
func nearOf(r *rows, row, prev uint32, word uint64) uint32 {
	first, end := r.indptr[row], r.indptr[row+1]
	j, _ := rng.Below(rng.Key(word).Word(0), end-first)
	return endPoint(r.indices, first+j, j == 0, prev)
}

// endPoint returns the end point of an edge of the row of prev, or graph.None if the edge leads back to prev or is parallel to the
// one before it.
func endPoint(indices []uint32, position uint64, isFirst bool, prev uint32) uint32 {
	if x := indices[position]; x != prev && (isFirst || indices[position-1] != x) {
		return x
	}
	return graph.None
}

// tryNear completes a try in the region Near with its candidate.
func (t *secondOrder) tryNear(r *rows, row uint32, w *walker, candidate uint32, degree func(v uint32) uint64) (uint64, verdict) {
	if candidate == graph.None {
		return graph.NoEdge, rejected
	}
	regions, reach := t.regions(r, row, w.prev, degree)
	slot, fraction := rng.Below(w.key.Word(uint64(w.slot)), regions.Back)
	place := app.Place{Slot: slot - regions.Row, Fraction: fraction, Scale: degree(w.prev), Factor: t.outliers.ShortNear}
	return found(place.Edge(r.g, r.indptr[row], r.indptr[row+1], candidate, t.weighted, reach))
}

// scanRow makes the choice after the last try. isNear reports whether an edge leads from the previous vertex to the end point
// of edge i of the row; it is not called for edges to the previous vertex. It returns graph.NoEdge if no edge has a bias.
func (t *secondOrder) scanRow(r *rows, row uint32, w *walker, isNear func(i int) bool) uint64 {
	first, end := r.indptr[row], r.indptr[row+1]
	factor := func(i int) uint64 {
		switch {
		case r.indices[first+uint64(i)] == w.prev:
			return t.scan.Back
		case isNear(i):
			return t.scan.Near
		default:
			return t.scan.Away
		}
	}
	slot, chosen := rng.Slot(w.step(), selector.MaxTries), int64(-1)
	switch {
	case t.computed:
		chosen = selector.Reservoir(w.key.Stream(slot).Key(0), int(end-first), func(i int) uint64 {
			bias := uint64(r.g.Biases[first+uint64(i)])
			if w.prev == graph.None {
				return bias
			}
			return app.Product(bias, factor(i))
		})
	case t.weighted:
		chosen = selector.Scan(w.key.Word(slot), int(end-first), func(i int) uint64 { return factor(i) * uint64(r.g.Biases[first+uint64(i)]) })
	default:
		chosen = selector.Scan(w.key.Word(slot), int(end-first), factor)
	}
	if chosen < 0 {
		return graph.NoEdge
	}
	return first + uint64(chosen)
}

// asks reports whether a scan needs to know the neighbours of the previous vertex: not if there is none, if only the edge back
// differs from others, or if all edges lead back.
func (t *secondOrder) asks(r *rows, row, prev uint32) bool {
	if prev == graph.None || t.scan.Near == t.scan.Away {
		return false
	}
	return slices.ContainsFunc(r.indices[r.indptr[row]:r.indptr[row+1]], func(x uint32) bool { return x != prev })
}

// has reports whether a row has an edge to a vertex.
func (r *rows) has(row, to uint32) bool {
	_, ok := slices.BinarySearch(r.indices[r.indptr[row]:r.indptr[row+1]], to)
	return ok
}

// acceptsNear reports whether an undecided candidate is accepted if it is a neighbour of the previous vertex; otherwise it is
// accepted if it is not.
func (t *secondOrder) acceptsNear() bool { return t.order.Near > t.order.Away }
