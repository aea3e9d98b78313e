package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// NonBacktracking is a walk that never returns to the previous vertex (as in CRaWl, Toenshoff et al., TMLR'23, and
// NeuralWalker, Chen et al., ICLR'25). The first step takes any edge of the root. A later step from v, reached from u, takes
// an edge (v, x) with x != u, uniformly at random or with probability proportional to w(v, x).
//
// Parallel edges to the previous vertex are all excluded. After a self-loop the previous vertex is the current one, so
// self-loops are excluded. A walk ends at a dead end: a vertex without a further edge of positive weight. The remaining
// vertices are graph.None.
type NonBacktracking struct {
	Length   int          `json:"length"`   // steps, 0 to MaxLength
	Weighted app.Weighted `json:"weighted"` // not Computed
}

// Name is "NonBacktracking".
func (a *NonBacktracking) Name() string { return "NonBacktracking" }

// Check returns an error if Length is out of range or Weighted is Computed.
func (a *NonBacktracking) Check() error {
	if a.Weighted == app.Computed {
		return refuse.Value("weighted = \"computed\": expected \"auto\", True or False; NonBacktracking reads alias tables")
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs reports whether the choices follow the weights of g.
func (a *NonBacktracking) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *NonBacktracking) Bind(g *graph.Graph) (app.App, error) {
	w, err := a.Weighted.Bind(g)
	return &NonBacktracking{a.Length, w}, err
}

// Selector is Reject with proposals by Alias or Uniform.
func (a *NonBacktracking) Selector() string { return "Reject(" + app.StaticSelector(a.Weighted) + ")" }

// Width is Length+1.
func (a *NonBacktracking) Width(roots int) int { return roots + a.Length }

// Sample makes the steps one after another, as step defines them.
func (a *NonBacktracking) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	prev, v := graph.None, roots[0]
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		next, e := a.step(g, key, s, prev, v, 0)
		row = row.Add(next, e)
		prev, v = v, next
	}
	return row
}

// step chooses an edge of v, which was reached from prev. Try t, from the given one on, proposes an edge with the word at
// Slot(s, t), and is accepted unless the edge leads to prev. After Tries(degree) refusals, the word at Slot(s, MaxTries)
// selects among the edges that do not lead to prev.
func (a *NonBacktracking) step(g *graph.Graph, key rng.Key, s uint64, prev, v uint32, t uint64) (next uint32, position uint64) {
	if v == graph.None {
		return graph.None, graph.NoEdge
	}
	for tries := program.Tries(g.Degree(v)); t < tries; t++ {
		next, position = app.Choose(g, v, key.Word(rng.Slot(s, t)), a.Weighted)
		if next == graph.None || next != prev {
			return next, position
		}
	}
	first, end := g.Row(v)
	i := selector.Scan(key.Word(rng.Slot(s, selector.MaxTries)), int(end-first), func(i int) uint64 {
		switch at := first + uint64(i); {
		case g.Indices[at] == prev:
			return 0
		case a.Weighted == app.Yes:
			return uint64(g.Biases[at])
		default:
			return 1
		}
	})
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	return g.Indices[first+uint64(i)], first + uint64(i)
}

// Weights is Weighted.
func (a *NonBacktracking) Weights() app.Weighted { return a.Weighted }

// SecondOrder excludes edges that lead back, and accepts all others.
func (a *NonBacktracking) SecondOrder() app.SecondOrder {
	return app.SecondOrder{Near: 1 << 32, Away: 1 << 32}
}

// Outliers returns the factors of SecondOrder, and none.
func (a *NonBacktracking) Outliers() (app.SecondOrder, selector.Outliers) {
	return a.SecondOrder(), selector.Outliers{}
}

// Tries is the number of tries for the shortest rows. AfterTries makes the further tries of longer rows.
func (a *NonBacktracking) Tries() uint64 { return program.LeastTries }

// AfterTries completes step s from v, reached from prev: it makes the remaining tries, then scans the row.
func (a *NonBacktracking) AfterTries(g *graph.Graph, key rng.Key, s uint64, prev, v uint32) (next uint32, position uint64) {
	return a.step(g, key, s, prev, v, program.LeastTries)
}

// RowLocal is true: a step reads the row of the vertex that it leaves.
func (a *NonBacktracking) RowLocal(bool) bool { return true }

var _ app.SecondOrderer = (*NonBacktracking)(nil)
