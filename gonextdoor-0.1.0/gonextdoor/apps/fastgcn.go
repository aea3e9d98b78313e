package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// FastGCN is layer sampling by importance (Chen, Ma & Xiao, ICLR'18). The vertices of each layer are drawn from the whole
// graph: u with probability q(u) proportional to sum_v A(v, u)^2, the squared norm of its column of the normalised adjacency
// matrix A. Layers are independent of each other.
//
// The first layer is the roots. Links are the non-zero entries of A between a layer and the next one, each divided by
// size*q(u). With replacement their sums are unbiased estimates. A vertex without edges has the self-loop that
// normalisation adds.
type FastGCN struct {
	Sizes         []int               `json:"sizes"` // vertices of each layer, at least 1; less than 2^28 together
	Replace       bool                `json:"replace"`
	Normalization index.Normalization `json:"normalization"`

	table index.Importance
}

// Name is "FastGCN".
func (a *FastGCN) Name() string { return "FastGCN" }

// Check returns an error if Sizes is out of range.
func (a *FastGCN) Check() error { return checkSizes(a.Sizes) }

// Weighs is false: importances depend on the number of edges only.
func (a *FastGCN) Weighs(*graph.Graph) bool { return false }

// Tables returns the table of importances.
func (a *FastGCN) Tables(*graph.Graph) []*index.Table {
	return []*index.Table{index.ImportanceTable(a.Normalization)}
}

// Bind reads the importances of g, building them first if necessary.
func (a *FastGCN) Bind(g *graph.Graph) (app.App, error) {
	bound := *a
	var err error
	bound.table, err = index.ImportanceOf(g, a.Normalization, graph.Options{})
	return &bound, err
}

// Importance returns the importances by which layers are drawn. The app must be bound.
func (a *FastGCN) Importance() index.Importance { return a.table }

// Selector is Alias, or Successive without replacement.
func (a *FastGCN) Selector() string { return app.FanoutSelector(a.Replace, app.Yes) }

// Width is 0: samples are layered.
func (a *FastGCN) Width(int) int { return 0 }

// Layered is true.
func (a *FastGCN) Layered(int) bool { return true }

// Records is true.
func (a *FastGCN) Records() bool { return true }

// Expect returns the vertices of all layers. The rows of the roots and of all layers but the last are read for the links.
func (a *FastGCN) Expect(roots int, on app.Size) app.Expected {
	return expectLayers(a.Sizes, a.Normalization, roots, on)
}

// Sample draws layer l under the key Stream(l).Key(0). With replacement, vertex j takes the word at slot j; without, the
// layer is drawn by Successive over all vertices.
func (a *FastGCN) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
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
		next := app.DrawnLayer{Norm: a.Normalization, Total: a.table.Sum}
		for _, u := range picks {
			next.Vertices = append(next.Vertices, uint32(u))
			next.Chosen = append(next.Chosen, uint64(a.table.Biases[u]))
		}
		row = row.AddLayer(next.Vertices).Entries(g, next, false)
	}
	return row
}

// ImportanceLayers returns the parameters. Links are not normalised per vertex.
func (a *FastGCN) ImportanceLayers() app.ImportanceLayers {
	return app.ImportanceLayers{Sizes: a.Sizes, Replace: a.Replace, Normalization: a.Normalization}
}

// Sequence counts the layers.
func (a *FastGCN) Sequence(int, app.Size) (app.Sequence, bool) {
	return app.Sequence{Steps: float64(len(a.Sizes))}, true
}

// Draft is Bind without tables; see app.Draft.
func (a *FastGCN) Draft(*graph.Graph) (app.App, error) { return a, nil }

var _ app.FixedImportance = (*FastGCN)(nil)
