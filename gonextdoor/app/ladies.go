package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// LADIES draws each layer among the vertices of the layer before and their neighbours, in proportion to their importance
// for that layer: the sum, over its vertices, of the squares of the normalised adjacency (Zou et al., NeurIPS'19). Links
// are the entries between one layer and the next, divided by s*p(u), s being the vertices drawn; with Normalize each
// row's are divided by their sum.
type LADIES struct {
	Sizes         []int               `json:"sizes"`
	Replace       bool                `json:"replace"`
	Normalize     bool                `json:"normalize"`
	Normalization index.Normalization `json:"normalization"`
}

// Name is "LADIES".
func (a *LADIES) Name() string { return "LADIES" }

// Check refuses sizes below 1.
func (a *LADIES) Check() error { return checkSizes(a.Sizes) }

// Weighs is false: the number of edges counts, not their weights.
func (a *LADIES) Weighs(*graph.Graph) bool { return false }

// Bind changes nothing.
func (a *LADIES) Bind(*graph.Graph) (App, error) { return a, nil }

// Selector is Scan, or Deplete without replacement.
func (a *LADIES) Selector() string {
	if a.Replace {
		return "Scan"
	}
	return "Deplete"
}

// Width is 0: samples are layered.
func (a *LADIES) Width(int) int { return 0 }

// Layered is always true.
func (a *LADIES) Layered(int) bool { return true }

// Records is always true.
func (a *LADIES) Records() bool { return true }

// Expect returns the layers; their candidates are the edges of the layer before.
func (a *LADIES) Expect(roots int, on Size) Expected { return expectLayers(a.Sizes, roots, on) }

// Sample draws vertex j of layer l with the word at slot j of the key Stream(l).Key(0): by Scan over the candidates, or
// without replacement by ScanWithout; all of them, in their order, where there are no more than are wanted.
func (a *LADIES) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	last := roots
	for l, size := range a.Sizes {
		if row.Stopped() {
			break
		}
		vertices, importances := a.candidates(g, last)
		next := layer{norm: a.Normalization}
		for _, b := range importances {
			next.total += b
		}
		for _, i := range a.picks(key.Stream(uint64(l)).Key(0), uint64(size), importances) {
			next.vertices = append(next.vertices, vertices[i])
			next.chosen = append(next.chosen, importances[i])
		}
		row = row.AddLayer(next.vertices).entries(g, next, a.Normalize)
		last = next.vertices
	}
	return row
}

// candidates gives a layer and its neighbours in the order of first appearance, a vertex before its neighbours, and how
// important each is for the layer. A vertex that stands in the layer twice counts twice.
func (a *LADIES) candidates(g *graph.Graph, last []uint32) (vertices []uint32, importances []uint64) {
	sum := uint64(0)
	for _, v := range last {
		sum += g.Degree(v) + 1
	}
	unit := a.Normalization.Unit(uint64(len(last)), sum)
	places := map[uint32]int{}
	for _, v := range last {
		share := a.Normalization.Share(g.Degree(v)+1, unit)
		index.Entries(g, v, func(u uint32, count uint64) {
			at, met := places[u]
			if !met {
				at = len(vertices)
				places[u] = at
				vertices, importances = append(vertices, u), append(importances, 0)
			}
			importances[at] += count * (count * share)
		})
	}
	for i, u := range vertices {
		importances[i] = a.Normalization.Column(importances[i], g.Degree(u)+1)
	}
	return vertices, importances
}

// picks chooses among candidates.
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
