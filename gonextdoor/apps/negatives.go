package apps

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Negatives draws for its root a vertex to which no edge leads from it, a negative, among the vertices below Ends: uniformly at random,
// or in proportion to Weights. Or it draws uniformly among the vertices of the root's cluster, among Candidates, of which each
// counts as often as it is in the list, or among the vertices at distance Hops from the root, which have no edge from it.
//
// A root without a negative is followed by graph.None.
type Negatives struct {
	Loops      bool            `json:"loops"` // whether the root is its own negative, unless it has a self-loop
	Ends       int             `json:"ends"`  // 0: all vertices
	Weights    *app.Scores     `json:"weights"`
	Clusters   *app.Clusters   `json:"clusters"`
	Candidates *app.VertexList `json:"candidates"`
	Hops       int             `json:"hops"` // 0, or at least 2

	draws *app.NegativeDraws
}

// NegativePairs draws a pair of vertices without an edge, of a source below Sources and an end below Ends: uniformly at random among
// all such pairs, or in proportion to the product of a weight of the source and one of the end.
type NegativePairs struct {
	Loops         bool        `json:"loops"`   // whether a vertex and itself are such a pair, unless it has a self-loop
	Sources       int         `json:"sources"` // 0: all vertices
	Ends          int         `json:"ends"`    // 0: all vertices
	Weights       *app.Scores `json:"weights"`
	SourceWeights *app.Scores `json:"source_weights"`

	draws *app.NegativeDraws
}

// Name is "Negatives".
func (a *Negatives) Name() string { return "Negatives" }

// Name is "NegativePairs".
func (a *NegativePairs) Name() string { return "NegativePairs" }

// Check returns an error if Hops is out of range, or if more than one of Weights, Clusters, Candidates and Hops is set.
func (a *Negatives) Check() error {
	if a.Hops < 0 || a.Hops == 1 {
		return refuse.Value("hops = %d: expected at least 2, or 0 for any distance; vertices at distance 1 have an edge", a.Hops)
	}
	set := 0
	for _, is := range []bool{a.Weights != nil, a.Clusters != nil, a.Candidates != nil, a.Hops > 0} {
		if is {
			set++
		}
	}
	if set > 1 {
		return refuse.Value("weights, clusters, candidates, hops: expected at most one of them, got %d", set)
	}
	if a.Clusters != nil && a.Clusters.IDs == nil {
		return refuse.Value("clusters: expected the cluster of each vertex")
	}
	if a.Clusters != nil {
		return a.Clusters.Check()
	}
	return checkBelow("ends", a.Ends)
}

// Check returns an error if Sources or Ends is out of range.
func (a *NegativePairs) Check() error {
	if err := checkBelow("sources", a.Sources); err != nil {
		return err
	}
	return checkBelow("ends", a.Ends)
}

// checkBelow returns an error if a number of vertices is negative.
func checkBelow(name string, n int) error {
	if n < 0 {
		return refuse.Value("%s = %d: expected a number of vertices, or 0 for all", name, n)
	}
	return nil
}

// Weighs is false: weights of edges are ignored.
func (a *Negatives) Weighs(*graph.Graph) bool { return false }

// Weighs is false: weights of edges are ignored.
func (a *NegativePairs) Weighs(*graph.Graph) bool { return false }

// Selector is Reject with the selector of proposals; Uniform at a number of hops.
func (a *Negatives) Selector() string {
	if a.Hops > 0 {
		return "Uniform"
	}
	return rejecting(a.Weights)
}

// Selector is Reject with the selector of proposals.
func (a *NegativePairs) Selector() string { return rejecting(a.Weights, a.SourceWeights) }

func rejecting(weights ...*app.Scores) string {
	for _, w := range weights {
		if w != nil {
			return "Reject(Alias)"
		}
	}
	return "Reject(Uniform)"
}

// Width is 2.
func (a *Negatives) Width(int) int { return 2 }

// Width is 2.
func (a *NegativePairs) Width(int) int { return 2 }

// Expect returns one vertex, and an operation for each table that a proposal reads. At a number of hops, the rows of all vertices
// that are nearer are read.
func (a *Negatives) Expect(_ int, on app.Size) app.Expected {
	e, level := app.PerVertex(1), 1.0
	if a.Weights != nil || a.Clusters != nil || a.Candidates != nil {
		e.Operations++
	}
	for h := range a.Hops {
		if h == 0 {
			level *= on.Degree()
		} else {
			level *= on.Neighbor()
		}
		e.Operations += min(level, float64(on.Edges))
	}
	return e
}

// hopCost is the cost of an edge that a breadth-first search reads.
var hopCost = cost(7.5, 16)

// CPUCost is the cost of the Spec, or that of an edge at a number of hops.
func (a *Negatives) CPUCost(int, app.Size) app.Cost {
	if a.Hops > 0 {
		return hopCost
	}
	return Specs[a.Name()].Cost
}

// Expect returns two vertices, and an operation for each table that a proposal reads.
func (a *NegativePairs) Expect(int, app.Size) app.Expected {
	e := app.PerVertex(2)
	for _, weights := range []*app.Scores{a.Weights, a.SourceWeights} {
		if weights != nil {
			e.Operations++
		}
	}
	return e
}

// PerSample reports whether samples are made one by one on the CPU: those at a number of hops.
func (a *Negatives) PerSample(int) bool { return a.Hops > 0 }

// Bind returns an error if Ends, the weights, the clusters or the candidates do not suit g.
func (a *Negatives) Bind(g *graph.Graph) (app.App, error) {
	bound, err := a.drafted(g)
	if err != nil {
		return nil, err
	}
	_, err = bound.draws.Complete(g)
	return bound, err
}

// Draft is Bind without tables; see app.Draft.
func (a *Negatives) Draft(g *graph.Graph) (app.App, error) { return a.drafted(g) }

func (a *Negatives) drafted(g *graph.Graph) (*Negatives, error) {
	n := g.NumVertices()
	d := &app.NegativeDraws{Loops: a.Loops, Weights: a.Weights, Sources: uint64(n)}
	var err error
	if d.Ends, err = below("ends", a.Ends, n); err != nil {
		return nil, err
	}
	if err := perVertex("weights", a.Weights, d.Ends); err != nil {
		return nil, err
	}
	switch {
	case a.Clusters != nil:
		if d.Lists, err = a.Clusters.Of(g); err != nil {
			return nil, err
		}
		d.List = a.Clusters.IDs
	case a.Candidates != nil:
		for i, v := range a.Candidates.Vertices {
			if uint64(v) >= d.Ends {
				return nil, refuse.Index("candidates[%d] = %d is out of range: vertex ids must be 0 <= id < %d", i, v, d.Ends)
			}
		}
		d.Lists = app.CandidateList(a.Candidates.Vertices)
	}
	bound := *a
	bound.draws = d
	return &bound, nil
}

// Bind returns an error if Sources, Ends or the weights do not suit g, or if every pair is an edge.
func (a *NegativePairs) Bind(g *graph.Graph) (app.App, error) {
	bound, err := a.drafted(g)
	if err != nil {
		return nil, err
	}
	d := bound.draws
	some, err := d.Complete(g)
	if err != nil {
		return nil, err
	}
	if !some {
		return nil, refuse.Value("graph: there are no negatives, because every pair of %d sources and %d targets of positive weight is an "+
			"edge (loops = %v)", d.Sources, d.Ends, a.Loops)
	}
	return bound, nil
}

// Draft is Bind without tables, from which it is known whether there is a pair; see app.Draft.
func (a *NegativePairs) Draft(g *graph.Graph) (app.App, error) { return a.drafted(g) }

func (a *NegativePairs) drafted(g *graph.Graph) (*NegativePairs, error) {
	n := g.NumVertices()
	d := &app.NegativeDraws{Pairs: true, Loops: a.Loops, Weights: a.Weights, SourceWeights: a.SourceWeights}
	var err error
	if d.Sources, err = below("sources", a.Sources, n); err != nil {
		return nil, err
	}
	if d.Ends, err = below("ends", a.Ends, n); err != nil {
		return nil, err
	}
	if err := perVertex("weights", a.Weights, d.Ends); err != nil {
		return nil, err
	}
	if err := perVertex("source_weights", a.SourceWeights, d.Sources); err != nil {
		return nil, err
	}
	bound := *a
	bound.draws = d
	return &bound, nil
}

// below returns a number of vertices of a graph of n; 0 is n.
func below(name string, given, n int) (uint64, error) {
	if given > n {
		return 0, refuse.Value("%s = %d: expected at most %d, the vertices of the graph", name, given, n)
	}
	if given == 0 {
		given = n
	}
	return uint64(given), nil
}

// perVertex returns an error unless there is one weight for each of n vertices.
func perVertex(name string, weights *app.Scores, n uint64) error {
	if weights != nil && weights.Candidates().N != n {
		return refuse.Value("%s has %d elements: expected %d, one per vertex", name, weights.Candidates().N, n)
	}
	return nil
}

// NegativeDraws returns the description of the draws. The app must be bound.
func (a *Negatives) NegativeDraws() *app.NegativeDraws { return a.draws }

// NegativeDraws returns the description of the draws. The app must be bound.
func (a *NegativePairs) NegativeDraws() *app.NegativeDraws { return a.draws }

// AtHops returns Hops; 0 for any distance.
func (a *Negatives) AtHops() int { return a.Hops }

// Sample draws as app.NegativeDraws describes. At a number of hops, the word at Slot(0, 0) chooses among the vertices at that distance,
// in ascending order.
func (a *Negatives) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	u := roots[0]
	row.Vertices = append(row.Vertices, u)
	if a.Hops > 0 {
		v := graph.None
		level := distant(g, u, a.Hops, a.draws.Ends)
		if i := selector.Uniform(key.Word(0), uint64(len(level))); i >= 0 {
			v = level[i]
		}
		return row.Add(v, graph.NoEdge)
	}
	for t := range uint64(selector.MaxTries) {
		if _, v := a.draws.Try(key, t, u); v != graph.None && !a.draws.Excluded(g, u, v) {
			return row.Add(v, graph.NoEdge)
		}
	}
	return row.Add(a.draws.Scan(g, u, key.Word(rng.Slot(0, selector.MaxTries))), graph.NoEdge)
}

// Sample draws as app.NegativeDraws describes.
func (a *NegativePairs) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	for t := range uint64(selector.MaxTries) {
		if u, v := a.draws.Try(key, t, 0); !a.draws.Excluded(g, u, v) {
			return row.Add(u, graph.NoEdge).Add(v, graph.NoEdge)
		}
	}
	u := selector.Scan(key.Word(rng.Slot(1, selector.MaxTries)), int(a.draws.Sources), func(u int) uint64 { return a.draws.Mass(g, uint32(u)) })
	v := a.draws.Scan(g, uint32(u), key.Word(rng.Slot(0, selector.MaxTries)))
	return row.Add(uint32(u), graph.NoEdge).Add(v, graph.NoEdge)
}

// distant returns the vertices below ends at a distance from u, in ascending order.
func distant(g *graph.Graph, u uint32, hops int, ends uint64) (found []uint32) {
	seen, level := map[uint32]bool{u: true}, []uint32{u}
	for range hops {
		var next []uint32
		for _, v := range level {
			for _, w := range g.Neighbors(v) {
				if !seen[w] {
					seen[w] = true
					next = append(next, w)
				}
			}
		}
		level = next
	}
	for _, v := range level {
		if uint64(v) < ends {
			found = append(found, v)
		}
	}
	slices.Sort(found)
	return found
}

var (
	_ app.NegativeDrawer = (*Negatives)(nil)
	_ app.NegativeDrawer = (*NegativePairs)(nil)
)
