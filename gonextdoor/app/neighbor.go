package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Neighbor grows a tree from each root: at step i every vertex of the frontier takes Fanouts[i] of its edges (neighbour
// sampling of C-SAW, Pandey et al., SC'20, with its NeighborSize and FrontierSize). The frontier is what the step before
// reached, or FrontierSize of it, drawn without replacement and all alike, where that is more. Where FrontierSize is 0 it
// is a KHop on the graph that View gives.
type Neighbor struct {
	Fanouts      []int `json:"fanouts"`
	FrontierSize int   `json:"frontier_size"` // 0: all
	Bias         Bias  `json:"bias"`
	Replace      bool  `json:"replace"`
}

// Name is "Neighbor".
func (a *Neighbor) Name() string { return "Neighbor" }

// Check refuses fan-outs below 1, a negative frontier, and samples that pass 2^28 vertices a root.
func (a *Neighbor) Check() error {
	if a.FrontierSize < 0 || a.FrontierSize > maxWidth {
		return refuse.Value("frontier_size = %d: expected from 1 to %d", a.FrontierSize, maxWidth)
	}
	if a.FrontierSize == 0 {
		return a.tree().Check()
	}
	width, level := 1, 1
	for i, f := range a.Fanouts {
		if f < 1 {
			return refuse.Value("fanouts[%d] = %d: expected at least 1", i, f)
		}
		level = min(level, a.FrontierSize, maxWidth) * min(f, maxWidth)
		if width += level; width > maxWidth {
			return refuse.Value("fanouts = %v: expected at most 2^28 vertices a root", a.Fanouts)
		}
	}
	return nil
}

// tree is what the app comes down to where all vertices are expanded.
func (a *Neighbor) tree() *KHop { return &KHop{a.Fanouts, a.Replace, a.Bias.Weighted()} }

// View gives the graph with the biases that choices follow.
func (a *Neighbor) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	return a.Bias.View(g, options)
}

// ViewsDegrees is true for a bias by degree.
func (a *Neighbor) ViewsDegrees() bool { return a.Bias == ByDegree }

// Weighs is true where the choices follow the biases of View.
func (a *Neighbor) Weighs(*graph.Graph) bool { return a.Bias != Uniform }

// Bind gives the KHop that the app is, or the app itself.
func (a *Neighbor) Bind(g *graph.Graph) (App, error) {
	bound, err := a.tree().Bind(g)
	if a.FrontierSize > 0 {
		return a, err
	}
	return bound, err
}

// Selector is that of a KHop; the frontier's is Permute.
func (a *Neighbor) Selector() string {
	if s := a.tree().Selector(); a.FrontierSize == 0 || s == "Permute" {
		return s
	}
	return "Permute, " + a.tree().Selector()
}

// Width is that of a KHop, or 0: a frontier holds no missing vertices.
func (a *Neighbor) Width(roots int) int {
	if a.FrontierSize > 0 {
		return 0
	}
	return a.tree().Width(roots)
}

// TreeFanouts is Fanouts.
func (a *Neighbor) TreeFanouts() []int { return a.Fanouts }

// Layered is true where there is a frontier.
func (a *Neighbor) Layered(int) bool { return a.FrontierSize > 0 }

// Records is false.
func (a *Neighbor) Records() bool { return false }

// Expect returns the tree, of which at most FrontierSize vertices grow at a step.
func (a *Neighbor) Expect(roots int, _ Size) Expected {
	level, total := float64(roots), 0.0
	for _, f := range a.Fanouts {
		if a.FrontierSize > 0 {
			level = min(level, float64(a.FrontierSize))
		}
		level *= float64(f)
		total += level
	}
	e := same(total)
	if a.FrontierSize > 0 { // samples are made one after the other
		e.Operations *= 4
	}
	return e
}

// Sample has the choices of a KHop, on the graph of View: transit t of step i has the words of Stream(i).Key(t), t being
// its place in the step. The frontier of step i is drawn with those of Stream(i).Key(n), n being all that were reached.
// It is expanded in the order drawn.
func (a *Neighbor) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
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
			for _, pick := range choices(index.CandidatesOf(g, u), stream.Key(t), uint64(f), a.Replace, a.Bias.Weighted()) {
				position := g.Indptr[u] + pick
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
