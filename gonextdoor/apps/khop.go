package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// KHop is k-hop neighbour sampling (GraphSAGE, Hamilton et al., NIPS'17; as in NextDoor, EuroSys'21). A tree grows from each
// root: at step i every transit takes Fanouts[i] of its edges, uniformly at random or in proportion to their weights. The
// end points are the transits of the next step. Without replacement, weighted edges are taken by successive sampling.
//
// A transit with fewer edges than the fan-out takes all of them (without replacement); a dead end takes none. The remaining
// vertices of the step, and their subtrees, are graph.None.
type KHop struct {
	Fanouts  []int        `json:"fanouts"` // per step, at least 1; at most 2^28 vertices per root in all
	Replace  bool         `json:"replace"` // whether a transit may take an edge several times
	Weighted app.Weighted `json:"weighted"`
}

// Name is "KHop".
func (a *KHop) Name() string { return "KHop" }

// Check returns an error if a fan-out is below 1, a tree has more than 2^28 vertices, or Weighted is Computed.
func (a *KHop) Check() error {
	width, level := 1, 1
	for i, f := range a.Fanouts {
		if f < 1 {
			return refuse.Value("fanouts[%d] = %d: expected at least 1", i, f)
		}
		level *= min(f, app.MaxWidth)
		if width += level; width > app.MaxWidth {
			return refuse.Value("fanouts = %v: expected at most 2^28 vertices per root", a.Fanouts)
		}
	}
	return a.Weighted.CheckStored()
}

// Weighs reports whether the choices follow the weights of g.
func (a *KHop) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *KHop) Bind(g *graph.Graph) (app.App, error) {
	w, err := a.Weighted.Bind(g)
	return &KHop{a.Fanouts, a.Replace, w}, err
}

// Selector is Uniform, Alias, Permute or Successive.
func (a *KHop) Selector() string { return app.FanoutSelector(a.Replace, a.Weighted) }

// Width is roots * (1 + f0 + f0*f1 + ...).
func (a *KHop) Width(roots int) int {
	width, level := roots, roots
	for _, f := range a.Fanouts {
		level *= f
		width += level
	}
	return width
}

// weightedTree is how many times as long a choice by weight takes.
const weightedTree = 1.5

// CPUCost is the cost of the Spec for choices of which few share a row: only the first choice from a row finds it outside the CPU's
// caches. The samples of a call read most rows of hubs many times.
func (a *KHop) CPUCost(roots int, on app.Size) app.Cost {
	cost, transits, level := Specs[a.Name()].Cost, 0.0, float64(roots*on.Samples)
	for _, f := range a.Fanouts {
		transits += level
		level *= float64(f)
	}
	if transits > 0 {
		rows, _ := on.Distinct(transits)
		cost.Memory = cost.Cached + (cost.Memory-cost.Cached)*min(1, rows/transits)
	}
	if a.Weighted == app.Yes || a.Weighted == app.Auto && on.Weighted {
		cost.Cached, cost.Memory = weightedTree*cost.Cached, weightedTree*cost.Memory
	}
	return cost
}

// Sample makes the choices of transit t of step i under the key Stream(i).Key(t).
func (a *KHop) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	row.Vertices = append(row.Vertices, roots...)
	transits := roots
	for i, f := range a.Fanouts {
		stream := key.Stream(uint64(i))
		first := len(row.Vertices)
		for t, u := range transits {
			var picks []uint64
			if u != graph.None {
				picks = app.Choices(index.CandidatesOf(g, u), stream.Key(uint64(t)), uint64(f), a.Replace, a.Weighted)
			}
			for j := range f {
				if j < len(picks) {
					position := g.Indptr[u] + picks[j]
					row = row.Add(g.Indices[position], position)
				} else {
					row = row.Add(graph.None, graph.NoEdge)
				}
			}
		}
		transits = row.Vertices[first:]
	}
	return row
}

// Weights is Weighted.
func (a *KHop) Weights() app.Weighted { return a.Weighted }

// TreeFanouts is Fanouts.
func (a *KHop) TreeFanouts() []int { return a.Fanouts }

// Replaces is Replace.
func (a *KHop) Replaces() bool { return a.Replace }

// RowLocal is true: a transit reads its row.
func (a *KHop) RowLocal(bool) bool { return true }

var _ app.FanoutTree = (*KHop)(nil)
