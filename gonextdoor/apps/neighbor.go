package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Neighbor is the neighbour sampling of C-SAW (Pandey et al., SC'20, with its NeighborSize and FrontierSize). At step i every
// vertex of the frontier takes Fanouts[i] of its edges, in proportion to their bias. The frontier is the vertices that the
// step before reached. If they are more than FrontierSize, that many are drawn without replacement, uniformly at random.
//
// If FrontierSize is 0, it is a KHop on the graph that View returns, also at dead ends. Otherwise missing vertices are
// omitted, and the sample ends when a step is empty.
type Neighbor struct {
	Fanouts      []int    `json:"fanouts"`       // per step, at least 1; at most 2^28 vertices per root in all
	FrontierSize int      `json:"frontier_size"` // 0 to 2^28; 0: no limit
	Bias         app.Bias `json:"bias"`          // Uniform, ByWeight or ByDegree
	Replace      bool     `json:"replace"`       // whether a vertex may take an edge several times
}

// Name is "Neighbor".
func (a *Neighbor) Name() string { return "Neighbor" }

// Check returns an error if a fan-out or FrontierSize is out of range, or a sample may have more than 2^28 vertices per root.
func (a *Neighbor) Check() error {
	if a.FrontierSize < 0 || a.FrontierSize > app.MaxWidth {
		return refuse.Value("frontier_size = %d: expected from 1 to %d", a.FrontierSize, app.MaxWidth)
	}
	if a.FrontierSize == 0 {
		return a.tree().Check()
	}
	width, level := 1, 1
	for i, f := range a.Fanouts {
		if f < 1 {
			return refuse.Value("fanouts[%d] = %d: expected at least 1", i, f)
		}
		level = min(level, a.FrontierSize, app.MaxWidth) * min(f, app.MaxWidth)
		if width += level; width > app.MaxWidth {
			return refuse.Value("fanouts = %v: expected at most 2^28 vertices per root", a.Fanouts)
		}
	}
	return nil
}

// tree returns the KHop that the app is equal to if all vertices are expanded.
func (a *Neighbor) tree() *KHop { return &KHop{a.Fanouts, a.Replace, a.Bias.Weighted()} }

// View returns the graph with the biases that choices follow, building it first if necessary.
func (a *Neighbor) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	return a.Bias.View(g, options)
}

// ViewsDegrees is true for a bias by degree.
func (a *Neighbor) ViewsDegrees() bool { return a.Bias == app.ByDegree }

// Weighs reports whether the choices follow the biases of View.
func (a *Neighbor) Weighs(*graph.Graph) bool { return a.Bias != app.Uniform }

// Bind returns the bound KHop that the app is equal to, or the app itself if it has a frontier size.
func (a *Neighbor) Bind(g *graph.Graph) (app.App, error) {
	bound, err := a.tree().Bind(g)
	if a.FrontierSize > 0 {
		return a, err
	}
	return bound, err
}

// Selector is that of the KHop, after Permute for the frontier if it has a size.
func (a *Neighbor) Selector() string {
	if s := a.tree().Selector(); a.FrontierSize == 0 || s == "Permute" {
		return s
	}
	return "Permute, " + a.tree().Selector()
}

// Width is that of the KHop, or 0 if the frontier has a size.
func (a *Neighbor) Width(roots int) int {
	if a.FrontierSize > 0 {
		return 0
	}
	return a.tree().Width(roots)
}

// TreeFanouts returns Fanouts.
func (a *Neighbor) TreeFanouts() []int { return a.Fanouts }

// Replaces is Replace.
func (a *Neighbor) Replaces() bool { return a.Replace }

// Weights is Yes if choices follow the biases of View.
func (a *Neighbor) Weights() app.Weighted { return a.Bias.Weighted() }

// FrontierLimit is FrontierSize.
func (a *Neighbor) FrontierLimit() int { return a.FrontierSize }

// Layered reports whether the frontier has a size.
func (a *Neighbor) Layered(int) bool { return a.FrontierSize > 0 }

// Records is false.
func (a *Neighbor) Records() bool { return false }

// Expect returns the vertices of the trees, of which at most FrontierSize are expanded per step.
func (a *Neighbor) Expect(roots int, _ app.Size) app.Expected {
	level, total := float64(roots), 0.0
	for _, f := range a.Fanouts {
		if a.FrontierSize > 0 {
			level = min(level, float64(a.FrontierSize))
		}
		level *= float64(f)
		total += level
	}
	e := app.PerVertex(total)
	if a.FrontierSize > 0 { // samples are made one at a time, by the serial definition
		e.Operations *= 4
	}
	return e
}

// Sample makes the choices of transit t of step i under Stream(i).Key(t), as KHop does, t being its place in the step. The
// frontier of step i is drawn under Stream(i).Key(n), n being the number of vertices that the step before reached. It is
// expanded in the order in which it was drawn.
func (a *Neighbor) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	if a.FrontierSize == 0 {
		return a.tree().Sample(g, key, roots, row)
	}
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	first := 0
	for i, f := range a.Fanouts {
		stream, end := key.Stream(uint64(i)), len(row.Vertices)
		n := uint64(end - first)
		for _, t := range selector.Permute(stream.Key(n), uint64(a.FrontierSize), n, nil) {
			u := row.Vertices[first+int(t)]
			for _, Pick := range app.Choices(index.CandidatesOf(g, u), stream.Key(t), uint64(f), a.Replace, a.Bias.Weighted()) {
				position := g.Indptr[u] + Pick
				row = row.Add(g.Indices[position], position)
				row.Parents = append(row.Parents, int32(first+int(t)))
			}
			if row.Stopped() {
				return row
			}
		}
		if len(row.Vertices) == end {
			break
		}
		row.Ends = append(row.Ends, int32(len(row.Vertices)))
		first = end
	}
	return row
}

// Draft is Bind without tables; see app.Draft.
func (a *Neighbor) Draft(g *graph.Graph) (app.App, error) {
	if err := a.Bias.Check(g); err != nil || a.FrontierSize > 0 {
		return a, err
	}
	return a.tree(), nil
}

// RowLocal is true unless the bias is the degree, which is that of vertices that the tree need not reach, or the frontier has a
// size: samples are layered then.
func (a *Neighbor) RowLocal(bool) bool { return a.Bias != app.ByDegree && a.FrontierSize == 0 }

var _ app.FrontierTree = (*Neighbor)(nil)
