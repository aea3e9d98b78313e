package app

import (
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
func (a *FastGCN) Bind(g *graph.Graph) (App, error) {
	bound := *a
	var err error
	bound.table, err = index.ImportanceOf(g, a.Normalization, graph.Options{})
	return &bound, err
}

// Importance returns the importances by which layers are drawn. The app must be bound.
func (a *FastGCN) Importance() index.Importance { return a.table }

// Selector is Alias, or Successive without replacement.
func (a *FastGCN) Selector() string { return fanoutSelector(a.Replace, Yes) }

// Width is 0: samples are layered.
func (a *FastGCN) Width(int) int { return 0 }

// Layered is true.
func (a *FastGCN) Layered(int) bool { return true }

// Records is true.
func (a *FastGCN) Records() bool { return true }

// Expect returns the vertices of all layers. The rows of the roots and of all layers but the last are read for the links.
func (a *FastGCN) Expect(roots int, on Size) Expected {
	return expectLayers(a.Sizes, a.Normalization, roots, on)
}

// rowNormHubs divides the mean degree of the end of an edge: the quotient is about that of a vertex that is drawn by an
// importance that is normalised by rows, which prefers hubs. Symmetric importances hardly depend on the degree.
const rowNormHubs = 4

// expectLayers returns the expected size of samples whose links are found in the rows of the layer before each layer.
func expectLayers(sizes []int, norm index.Normalization, roots int, on Size) (e Expected) {
	rows, degree := float64(roots), on.Degree()
	for _, size := range sizes {
		e.Vertices, e.Operations = e.Vertices+float64(size), e.Operations+float64(size)+rows*degree
		rows = float64(size)
		if norm == index.RowNorm {
			degree = max(degree, on.Neighbor()/rowNormHubs)
		}
	}
	return e
}

// Sample draws layer l under the key Stream(l).Key(0). With replacement, vertex j takes the word at slot j; without, the
// layer is drawn by Successive over all vertices.
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
