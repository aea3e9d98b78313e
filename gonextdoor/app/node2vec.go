package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Node2Vec walks Length steps; behind the first, an edge's bias is its weight times 1/P if it leads back to the vertex
// before, 1 if it leads to a neighbour of that vertex, and 1/Q otherwise (Grover & Leskovec, KDD'16). An edge without a
// bias makes a neighbour too.
type Node2Vec struct {
	P        float64  `json:"p"`
	Q        float64  `json:"q"`
	Length   int      `json:"length"`
	Weighted Weighted `json:"weighted"`
}

// Name is "Node2Vec".
func (a *Node2Vec) Name() string { return "Node2Vec" }

// Check refuses a p or q that is not a positive number, or so extreme that the ratio of two biases passes 2^32.
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
	return checkLength("length", a.Length, 0)
}

// Weighs is true where the choices follow g's weights.
func (a *Node2Vec) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind decides whether the walk is weighted.
func (a *Node2Vec) Bind(g *graph.Graph) (App, error) {
	w, err := a.Weighted.bind(g)
	return &Node2Vec{a.P, a.Q, a.Length, w}, err
}

// Selector is Reject, proposing by Alias or Uniform, or, of computed biases, that of growth.
func (a *Node2Vec) Selector() string {
	if a.Weighted == Computed {
		return a.program().Selector()
	}
	return "Reject(" + staticSelector(a.Weighted) + ")"
}

// Computes says whether biases are computed; the walk is a StepProgram then.
func (a *Node2Vec) Computes() bool { return a.Weighted == Computed }

// growth is the walk by computed biases: the product of the weight's and the second-order bias.
func (a *Node2Vec) program() *StepProgram {
	order := a.SecondOrder()
	return steps(a.Length, StepProgram{Bound: aboveWeights, EdgeBias: func(c *Ctx, edge uint64, dst uint32) uint64 {
		w := weight(c, edge, dst)
		if c.Prev == graph.None {
			return w
		}
		return Product(w, order.Of(c.Graph, c.Prev, dst))
	}})
}

// ReadsEdgeSet is false if neighbours of the previous vertex have the bias of other vertices, and biases are stored.
func (a *Node2Vec) ReadsEdgeSet() bool {
	order := a.SecondOrder()
	return a.Weighted == Computed || order.Near != order.Away
}

// Width is Length+1.
func (a *Node2Vec) Width(roots int) int { return roots + a.Length }

// Second-order biases in units of 2^-32 of the largest, which is 2^32 itself.
type SecondOrder struct {
	Back, Near, Away uint64
}

// SecondOrder gives the biases that P and Q mean.
func (a *Node2Vec) SecondOrder() SecondOrder {
	back, away := 1/a.P, 1/a.Q
	most := max(back, 1, away)
	unit := func(x float64) uint64 { return max(1, uint64(math.RoundToEven(x/most*(1<<32)))) }
	return SecondOrder{unit(back), unit(1), unit(away)}
}

// Of gives the bias of going on to candidate from a vertex that was reached from prev.
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

// Sample proposes try t of step s with the word at Slot(s, t); the proposal's first unused fraction accepts it. The
// word at Slot(s, MaxTries) serves the scan.
func (a *Node2Vec) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	if a.Weighted == Computed {
		return a.program().Sample(g, key, roots, row)
	}
	order := a.SecondOrder()
	prev, v := graph.None, roots[0]
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		if v == graph.None || prev == graph.None {
			next, e := choose(g, v, key.Word(rng.Slot(s, 0)), a.Weighted)
			row = row.Add(next, e)
			prev, v = v, next
			continue
		}
		next, e := a.secondStep(g, key, s, prev, v, order)
		row = row.Add(next, e)
		prev, v = v, next
	}
	return row
}

func (a *Node2Vec) secondStep(g *graph.Graph, key rng.Key, s uint64, prev, v uint32, order SecondOrder) (uint32, uint64) {
	first, end := g.Row(v)
	try := func(t uint64) (int64, bool) {
		word := key.Word(rng.Slot(s, t))
		next, e := choose(g, v, word, a.Weighted)
		if next == graph.None {
			return -1, true
		}
		accept := rng.Second(word)
		if a.Weighted == No {
			_, accept = rng.Below(word, end-first)
		}
		return int64(e - first), uint64(accept) < order.Of(g, prev, next)
	}
	i := selector.Reject(try, func() int64 { return a.scan(g, key, s, prev, v, order) })
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	return g.Indices[first+uint64(i)], first + uint64(i)
}

func (a *Node2Vec) scan(g *graph.Graph, key rng.Key, s uint64, prev, v uint32, order SecondOrder) int64 {
	first, end := g.Row(v)
	return selector.Scan(key.Word(rng.Slot(s, selector.MaxTries)), int(end-first), func(i int) uint64 {
		bias := order.Of(g, prev, g.Indices[first+uint64(i)])
		if a.Weighted == Yes {
			bias *= uint64(g.Biases[first+uint64(i)])
		}
		return bias
	})
}

// AfterTries is what step s from v, reached from prev, chooses once all its tries were refused: for engines whose loops
// do the tries themselves. At least one edge of v has a bias.
func (a *Node2Vec) AfterTries(g *graph.Graph, key rng.Key, s uint64, prev, v uint32) (next uint32, position uint64) {
	position = g.Indptr[v] + uint64(a.scan(g, key, s, prev, v, a.SecondOrder()))
	return g.Indices[position], position
}
