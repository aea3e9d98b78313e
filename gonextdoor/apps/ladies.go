package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// LADIES is layer-dependent importance sampling (Zou et al., NeurIPS'19). The candidates of a layer are the vertices of the
// layer before and their neighbours. Candidate u is drawn with probability p(u) proportional to sum_v A(v, u)^2 over the
// vertices v of the layer before, A being the normalised adjacency matrix. A vertex that occurs twice in that layer counts
// twice.
//
// The first layer is the roots. Links are the non-zero entries of A between a layer and the next one, each divided by
// s*p(u), s being the number of vertices drawn. Without replacement, a layer with fewer candidates than its size has all of
// them. There is no dead end: normalisation adds a self-loop to every vertex.
type LADIES struct {
	Sizes         []int               `json:"sizes"` // vertices of each layer, at least 1; less than 2^28 together
	Replace       bool                `json:"replace"`
	Normalize     bool                `json:"normalize"` // whether the links of each vertex are divided by their sum
	Normalization index.Normalization `json:"normalization"`
}

// Name is "LADIES".
func (a *LADIES) Name() string { return "LADIES" }

// Check returns an error if Sizes is out of range.
func (a *LADIES) Check() error { return checkSizes(a.Sizes) }

// Weighs is false: importances depend on the number of edges only.
func (a *LADIES) Weighs(*graph.Graph) bool { return false }

// Bind returns the app itself.
func (a *LADIES) Bind(*graph.Graph) (app.App, error) { return a, nil }

// Selector is Scan, or ScanWithout (reported as Deplete) without replacement.
func (a *LADIES) Selector() string {
	if a.Replace {
		return "Scan"
	}
	return "Deplete"
}

// Width is 0: samples are layered.
func (a *LADIES) Width(int) int { return 0 }

// Layered is true.
func (a *LADIES) Layered(int) bool { return true }

// Records is true.
func (a *LADIES) Records() bool { return true }

// Expect returns the vertices of all layers. The edges of each layer are read for the candidates of the next.
func (a *LADIES) Expect(roots int, on app.Size) app.Expected {
	return expectLayers(a.Sizes, a.Normalization, roots, on)
}

// CPUCost is the cost of the Spec, or candidateMiss times as much if the degrees of all vertices take more than candidatesCached
// bytes: those of all candidates are read, in random order.
func (a *LADIES) CPUCost(_ int, on app.Size) app.Cost {
	cost := Specs[a.Name()].Cost
	if 8*on.Vertices > candidatesCached {
		cost.Cached, cost.Memory = candidateMiss*cost.Cached, candidateMiss*cost.Memory
	}
	return cost
}

// candidatesCached and candidateMiss are those of CPUCost, measured on a graph of 2^22 and on one of 2^25 vertices.
const (
	candidatesCached = 1 << 27
	candidateMiss    = 8
)

// Sample draws layer l under the key Stream(l).Key(0). With replacement, vertex j is drawn by Scan with the word at slot j;
// without, the layer is drawn by ScanWithout. If there are no more candidates than its size, it has all, in their order.
func (a *LADIES) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	last := roots
	for l, size := range a.Sizes {
		if row.Stopped() {
			break
		}
		vertices, importances := a.candidates(g, last)
		next := app.DrawnLayer{Norm: a.Normalization}
		for _, b := range importances {
			next.Total += b
		}
		for _, i := range a.picks(key.Stream(uint64(l)).Key(0), uint64(size), importances) {
			next.Vertices = append(next.Vertices, vertices[i])
			next.Chosen = append(next.Chosen, importances[i])
		}
		row = row.AddLayer(next.Vertices).Entries(g, next, a.Normalize)
		last = next.Vertices
	}
	return row
}

// candidates returns the vertices of a layer and their neighbours in the order of first appearance, a vertex before its
// neighbours, with their importances for the layer. A vertex that occurs twice in the layer counts twice.
func (a *LADIES) candidates(g *graph.Graph, last []uint32) (vertices []uint32, importances []uint64) {
	// 1. Choose the unit of the fixed-point shares, so that their sums fit 64 bits.
	sum := uint64(0)
	for _, v := range last {
		sum += g.Degree(v) + 1
	}
	unit := a.Normalization.Unit(uint64(len(last)), sum)
	// 2. Add up the squares of the entries of each column.
	places := map[uint32]int{}
	for _, v := range last {
		share := a.Normalization.Share(g.Degree(v)+1, unit)
		index.Entries(g, v, func(u uint32, count uint64) {
			at, known := places[u]
			if !known {
				at = len(vertices)
				places[u] = at
				vertices, importances = append(vertices, u), append(importances, 0)
			}
			importances[at] += count * (count * share)
		})
	}
	// 3. Convert the sums to importances.
	for i, u := range vertices {
		importances[i] = a.Normalization.Column(importances[i], g.Degree(u)+1)
	}
	return vertices, importances
}

// picks returns the indices of the candidates that are drawn.
func (a *LADIES) picks(key rng.Key, size uint64, importances []uint64) (picks []uint64) {
	switch {
	case a.Replace:
		for j := range size {
			picks = append(picks, uint64(selector.Scan(key.Word(j), len(importances), func(i int) uint64 { return importances[i] })))
		}
	case uint64(len(importances)) <= size:
		for i := range importances {
			picks = append(picks, uint64(i))
		}
	default:
		left := append([]uint64(nil), importances...)
		picks = selector.ScanWithout(key, size, left, func(i uint64) { left[i] = 0 }, nil)
	}
	return picks
}

// ImportanceLayers returns the parameters.
func (a *LADIES) ImportanceLayers() app.ImportanceLayers {
	return app.ImportanceLayers{Sizes: a.Sizes, Replace: a.Replace, Normalize: a.Normalize, Normalization: a.Normalization}
}

// Sequence counts the layers, and the picks without replacement: each depends on those before.
func (a *LADIES) Sequence(roots int, on app.Size) (app.Sequence, bool) {
	s, rows := app.Sequence{Steps: float64(len(a.Sizes))}, float64(roots)
	if a.Normalization == index.RowNorm { // layers have hubs, which many rows share
		s.Kind = "by rows"
	}
	for _, size := range a.Sizes {
		candidates := min(rows*(1+on.Degree()), float64(on.Vertices))
		if !a.Replace && candidates > float64(size) {
			s.Choices += float64(size)
		}
		rows = float64(size)
	}
	return s, true
}

var _ app.ImportanceLayered = (*LADIES)(nil)
