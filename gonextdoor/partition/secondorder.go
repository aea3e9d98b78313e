package partition

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// secondOrder makes the tries of walks whose choices depend on the neighbours of the previous vertex (apps.Node2Vec). A try is
// made by the part that has the row of the present vertex. Most are decided there: by their fraction alone, because the
// candidate is the previous vertex, or because the part has a row that shows the edge. For each of the others, the walker asks
// another part:
//
//   - In a symmetric graph it goes to the candidate and checks there whether the previous vertex is a neighbour. If the
//     candidate is accepted, it stays; otherwise it makes the next try, for which it may return.
//   - Otherwise it goes to the previous vertex, whose row shows the edge, and from there to the candidate or back.
//
// The bias of a candidate has one of two values, so the answer to one question decides: an edge accepts the candidate if Near
// is above Away, and rejects it if Near is below Away.
type secondOrder struct {
	order    app.SecondOrder    // of tries
	scan     app.SecondOrder    // of the scan after the last try
	bias     *stage.SecondOrder // order, for the stages; nil: biases are products, which are computed
	outliers selector.Outliers
	weighted bool // of choices by alias tables
	check    bool // walkers go to the candidate; otherwise to the previous vertex
}

// newSecondOrder returns the tries of a bound app with the capability, or nil if it has none or needs no other row.
func newSecondOrder(a app.App, whole *WholeGraph) *secondOrder {
	if c, ok := a.(app.Computing); ok && c.Computes() && c.ComputedBias().Kind == app.BiasSecondOrder {
		order := c.ComputedBias().Order
		return &secondOrder{order: order, scan: order, check: whole.Symmetric}
	}
	if s, ok := a.(app.SecondOrderer); ok && s.SecondOrder().Back > 0 {
		t := &secondOrder{scan: s.SecondOrder(), weighted: s.Weights() == app.Yes, check: whole.Symmetric}
		t.order, t.outliers = s.Outliers()
		t.bias = stage.NewSecondOrder(t.order.Back, t.order.Near, t.order.Away)
		return t
	}
	return nil
}

// try makes tries by stored biases.
func (t *secondOrder) try(c *Cohort, r *rows, n int) {
	b := &c.group.batch
	if t.outliers.Back > 0 {
		c.prefetchDegrees(n)
		r.tables.ProposeApart(&b.Walkers, n, &r.outliers, &c.group.strays)
		c.proposeOutliers(r)
	} else {
		r.tables.Propose(&b.Walkers, n)
	}
	checks := r.tables.Decide(&b.Walkers, n, t.bias)
	if c.record.Edges {
		r.tables.Resolve(&b.Walkers, n)
	}
	b.undecided(checks)
	if t.outliers.Back > 0 {
		c.readNears()
	}
}

// scanRow is a scan by stored biases.
func (t *secondOrder) scanRow(r *rows, w *walker, isNear func(k int) bool) (position uint64) {
	first, end := r.indptr[w.row], r.indptr[w.row+1]
	word := w.key.Word(rng.Slot(w.step(), selector.MaxTries))
	k := t.scan.Scan(word, r.g, first, end, w.prev, t.weighted, isNear)
	if k < 0 {
		return graph.NoEdge
	}
	return first + uint64(k)
}

// single reports whether the only edge of a row to a vertex has the share of index.SingleReach: rows have neither weights nor
// parallel edges.
func (t *secondOrder) single(r *rows) bool { return !t.weighted && r.outliers.Reach == nil }

// place returns the place of a try of a walker in the region Near, if the previous vertex has from edges.
func (t *secondOrder) place(r *rows, w *walker, from uint64) app.Place {
	d := r.indptr[w.row+1] - r.indptr[w.row]
	regions := t.outliers.Regions(d, from, r.outliers.Of(w.row))
	slot, fraction := rng.Below(w.key.Word(uint64(w.slot)), regions.Back)
	place, _ := r.outliers.Place(slot-regions.Row, regions.Near-regions.Row, fraction, from)
	return place
}

// asks reports whether a scan needs to know the neighbours of the previous vertex: not if there is none, if only the edge back
// differs from others, or if all edges lead back.
func (t *secondOrder) asks(r *rows, row, prev uint32) bool {
	if prev == graph.None || t.scan.Near == t.scan.Away {
		return false
	}
	return slices.ContainsFunc(r.indices[r.indptr[row]:r.indptr[row+1]], func(x uint32) bool { return x != prev })
}

// acceptsNear reports whether an undecided candidate is accepted if it is a neighbour of the previous vertex; otherwise it is
// accepted if it is not.
func (t *secondOrder) acceptsNear() bool { return t.order.Near > t.order.Away }
