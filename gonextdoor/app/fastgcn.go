package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// FastGCN draws the vertices of each layer from the whole graph, in proportion to their importance: the squared norm of
// their column of the normalised adjacency (Chen, Ma & Xiao, ICLR'18). Layers do not depend on each other. Links are the
// entries between one layer and the next, divided by size*q(u): with replacement, their sums are unbiased.
type FastGCN struct {
	Sizes         []int               `json:"sizes"`
	Replace       bool                `json:"replace"`
	Normalization index.Normalization `json:"normalization"`

	table index.Importance
}

// Name is "FastGCN".
func (a *FastGCN) Name() string { return "FastGCN" }

// Check refuses sizes below 1.
func (a *FastGCN) Check() error { return checkSizes(a.Sizes) }

// Weighs is false: the number of edges counts, not their weights.
func (a *FastGCN) Weighs(*graph.Graph) bool { return false }

// Tables is the graph's importances.
func (a *FastGCN) Tables(*graph.Graph) []*index.Table {
	return []*index.Table{index.ImportanceTable(a.Normalization)}
}

// Bind takes the graph's importances.
func (a *FastGCN) Bind(g *graph.Graph) (App, error) {
	bound := *a
	var err error
	bound.table, err = index.ImportanceOf(g, a.Normalization, graph.Options{})
	return &bound, err
}

// Importance gives the importances that the layers are drawn by, after Bind.
func (a *FastGCN) Importance() index.Importance { return a.table }

// Selector is Alias, or Successive without replacement.
func (a *FastGCN) Selector() string { return fanoutSelector(a.Replace, Yes) }

// Width is 0: samples are layered.
func (a *FastGCN) Width(int) int { return 0 }

// Layered is always true.
func (a *FastGCN) Layered(int) bool { return true }

// Records is always true.
func (a *FastGCN) Records() bool { return true }

// Expect returns the layers; their links are found in the rows of the batch and of all layers but the last.
func (a *FastGCN) Expect(roots int, on Size) Expected { return expectLayers(a.Sizes, roots, on) }

// expectLayers returns what to expect of layers whose links are found in the rows of each layer's predecessor.
func expectLayers(sizes []int, roots int, on Size) (e Expected) {
	rows := float64(roots)
	for _, size := range sizes {
		e.Vertices, e.Operations = e.Vertices+float64(size), e.Operations+float64(size)+rows*on.Degree()
		rows = float64(size)
	}
	return e
}

// Sample draws vertex j of layer l with the word at slot j of the key Stream(l).Key(0), without replacement by
// Successive over all vertices.
func (a *FastGCN) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	for l, size := range a.Sizes {
		if row.Stopped() {
			break
		}
		under := key.Stream(uint64(l)).Key(0)
		var picks []uint64
		if a.Replace {
			for j := range uint64(size) {
				picks = append(picks, uint64(selector.Alias(under.Word(j), a.table.Alias)))
			}
		} else {
			picks = selector.Successive(under, uint64(size), a.table.Alias, a.table.Biases, nil)
		}
		next := layer{norm: a.Normalization, total: a.table.Sum}
		for _, u := range picks {
			next.vertices = append(next.vertices, uint32(u))
			next.chosen = append(next.chosen, uint64(a.table.Biases[u]))
		}
		row = row.AddLayer(next.vertices).entries(g, next, false)
	}
	return row
}
