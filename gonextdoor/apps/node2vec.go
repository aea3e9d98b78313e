package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Node2Vec is the second-order random walk of node2vec (Grover & Leskovec, KDD'16). The first step is that of DeepWalk. A
// later step from v, reached from u, takes an edge (v, x) with probability proportional to w(v, x) * f, with w = 1 if the
// walk is not weighted, and
//
//	f = 1/P if x = u,  1 if there is an edge (u, x),  1/Q otherwise
//
// An edge (u, x) of weight 0 counts as an edge. A walk ends at a dead end: a vertex without an edge of positive weight. The
// remaining vertices are graph.None.
type Node2Vec struct {
	P        float64      `json:"p"`      // return parameter, positive; 1/P, 1 and 1/Q within a factor of 2^32
	Q        float64      `json:"q"`      // in-out parameter, positive
	Length   int          `json:"length"` // steps, 0 to MaxLength
	Weighted app.Weighted `json:"weighted"`
}

// Name is "Node2Vec".
func (a *Node2Vec) Name() string { return "Node2Vec" }

// Check returns an error if a parameter is out of range.
func (a *Node2Vec) Check() error {
	for _, one := range []struct {
		name  string
		value float64
	}{{"p", a.P}, {"q", a.Q}} {
		if !(one.value > 0) || math.IsInf(one.value, 1) {
			return refuse.Value("%s = %v: expected a positive number", one.name, one.value)
		}
	}
	least, most := min(1/a.P, 1, 1/a.Q), max(1/a.P, 1, 1/a.Q)
	if !(most/least <= 1<<32) {
		return refuse.Value("p = %v, q = %v: expected 1/p, 1 and 1/q within a factor of 2^32 of each other", a.P, a.Q)
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs reports whether the choices follow the weights of g.
func (a *Node2Vec) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *Node2Vec) Bind(g *graph.Graph) (app.App, error) {
	w, err := a.Weighted.Bind(g)
	return &Node2Vec{a.P, a.Q, a.Length, w}, err
}

// Selector is Reject with proposals by Alias or Uniform, and that of the step program for computed biases.
func (a *Node2Vec) Selector() string {
	if a.Weighted == app.Computed {
		return a.program().Selector()
	}
	return "Reject(" + app.StaticSelector(a.Weighted) + ")"
}

// Computes reports whether biases are computed. The walk is then defined by a step program.
func (a *Node2Vec) Computes() bool { return a.Weighted == app.Computed }

// program returns the walk by computed biases, each the product of the weight and the second-order factor.
func (a *Node2Vec) program() *program.StepProgram {
	order := a.SecondOrder()
	return steps(a.Length, program.StepProgram{Bound: aboveWeights, EdgeBias: func(c *program.Ctx, edge uint64, dst uint32) uint64 {
		w := weight(c, edge, dst)
		if c.Prev == graph.None {
			return w
		}
		return app.Product(w, order.Of(c.Graph, c.Prev, dst))
	}})
}

// ReadsEdgeSet is false if neighbours of the previous vertex have the bias of other vertices, and biases are stored.
func (a *Node2Vec) ReadsEdgeSet() bool {
	order := a.SecondOrder()
	return a.Weighted == app.Computed || order.Near != order.Away
}

// Width is Length+1.
func (a *Node2Vec) Width(roots int) int { return roots + a.Length }

// SecondOrder returns 1/P, 1 and 1/Q, divided by the largest of them. No factor becomes 0.
func (a *Node2Vec) SecondOrder() app.SecondOrder {
	back, away := 1/a.P, 1/a.Q
	most := max(back, 1, away)
	unit := func(x float64) uint64 { return max(1, uint64(math.RoundToEven(x/most*(1<<32)))) }
	return app.SecondOrder{Back: unit(back), Near: unit(1), Away: unit(away)}
}

// Outliers returns the factors of the tries of a step. If 1/P is at most max(1, 1/Q), they are those of SecondOrder, and there
// are no outliers. Otherwise edges back are outliers, and the factors are in units of 2^-32 of max(1, 1/Q): Back is 2^32 and
// accepts every proposal of an edge back.
func (a *Node2Vec) Outliers() (app.SecondOrder, selector.Outliers) {
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
	return app.SecondOrder{Back: 1 << 32, Near: fixed(1 / most), Away: fixed(away / most)}, o
}

// Tables returns the table of the largest shares if edges back are outliers and a walk has a step of second order.
func (a *Node2Vec) Tables(g *graph.Graph) []*index.Table {
	switch _, o := a.Outliers(); {
	case o.Back == 0 || a.Length < 2 || a.Weighted == app.Computed:
		return nil
	case a.Weighs(g):
		return []*index.Table{index.ReachTable}
	default:
		return []*index.Table{index.ParallelEdgesTable}
	}
}

// Sample makes try t of step s with the word at Slot(s, t): it proposes an edge, and the first unused fraction of the word
// accepts or rejects it. If 1/P exceeds max(1, 1/Q), the tries are those of selector.Outliers. If all tries are rejected, the
// word at Slot(s, MaxTries) selects among all edges.
func (a *Node2Vec) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	if a.Weighted == app.Computed {
		return a.program().Sample(g, key, roots, row)
	}
	order, outliers := a.Outliers()
	prev, v := graph.None, roots[0]
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		if v == graph.None || prev == graph.None {
			next, e := app.Choose(g, v, key.Word(rng.Slot(s, 0)), a.Weighted)
			row = row.Add(next, e)
			prev, v = v, next
			continue
		}
		next, e := a.secondStep(g, key, s, prev, v, order, outliers)
		row = row.Add(next, e)
		prev, v = v, next
	}
	return row
}

// secondStep makes step s from v, reached from prev, by Reject.
func (a *Node2Vec) secondStep(
	g *graph.Graph, key rng.Key, s uint64, prev, v uint32, order app.SecondOrder, outliers selector.Outliers,
) (uint32, uint64) {
	first, end := g.Row(v)
	try := func(t uint64) (int64, bool) {
		word := key.Word(rng.Slot(s, t))
		next, e := app.Choose(g, v, word, a.Weighted)
		if next == graph.None {
			return -1, true
		}
		accept := rng.Second(word)
		if a.Weighted == app.No {
			_, accept = rng.Below(word, end-first)
		}
		return int64(e - first), uint64(accept) < order.Of(g, prev, next)
	}
	if outliers.Back > 0 && first < end {
		step := newOutlierStep(g, prev, v, a.Weighted, order, outliers)
		try = func(t uint64) (int64, bool) { return step.try(key.Word(rng.Slot(s, t))) }
	}
	i := selector.Reject(try, func() int64 { return a.scan(g, key, s, prev, v) })
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	return g.Indices[first+uint64(i)], first + uint64(i)
}

// scan selects an edge of v in proportion to its bias, after all tries were rejected.
func (a *Node2Vec) scan(g *graph.Graph, key rng.Key, s uint64, prev, v uint32) int64 {
	first, end := g.Row(v)
	near := func(i int) bool { return g.HasEdge(prev, g.Indices[first+uint64(i)]) }
	return a.SecondOrder().Scan(key.Word(rng.Slot(s, selector.MaxTries)), g, first, end, prev, a.Weighted == app.Yes, near)
}

// AfterTries returns the choice of step s from v, reached from prev, after all tries were rejected. At least one edge of v
// must have a bias.
func (a *Node2Vec) AfterTries(g *graph.Graph, key rng.Key, s uint64, prev, v uint32) (next uint32, position uint64) {
	position = g.Indptr[v] + uint64(a.scan(g, key, s, prev, v))
	return g.Indices[position], position
}

// Weights is Weighted.
func (a *Node2Vec) Weights() app.Weighted { return a.Weighted }

// Tries is selector.MaxTries.
func (a *Node2Vec) Tries() uint64 { return selector.MaxTries }

// ComputedBias is the weight times the factor of second order.
func (a *Node2Vec) ComputedBias() app.ComputedBias {
	return app.ComputedBias{Kind: app.BiasSecondOrder, Order: a.SecondOrder()}
}

// ComputedOn is what app.ComputesOn returns.
func (a *Node2Vec) ComputedOn(app.Size) bool { return a.Weighted == app.Computed }

// RowLocal is true unless biases are computed, whose bound depends on the whole graph. A step also reads the row of the previous
// vertex, in which it looks up edges.
func (a *Node2Vec) RowLocal(bool) bool { return a.Weighted != app.Computed }

var (
	_ app.SecondOrderer = (*Node2Vec)(nil)
	_ app.Computing     = (*Node2Vec)(nil)
)
