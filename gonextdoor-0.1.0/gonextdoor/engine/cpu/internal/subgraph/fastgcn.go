package subgraph

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// fastGCNSampler grows samples of an app.FixedImportance, for one thread.
type fastGCNSampler struct {
	layerLinks
	sizes   []int
	replace bool
	table   index.Importance
	picks   []uint64
	scratch selector.Scratch
}

// fastGCNPool keeps samplers, and their bitsets of the whole graph, between calls.
var fastGCNPool = sync.Pool{New: func() any { return new(fastGCNSampler) }}

// FastGCN returns a grower of the samples of an app.FixedImportance: layers that are drawn from the whole graph.
func FastGCN(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(app.FixedImportance)
	layers, table := a.ImportanceLayers(), a.Importance()
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		f := fastGCNPool.Get().(*fastGCNSampler)
		f.sizes, f.replace, f.norm, f.normalize = layers.Sizes, layers.Replace, layers.Normalization, layers.Normalize
		f.g, f.table = g, table
		row = f.grow(key, roots, row)
		f.sizes, f.g, f.table = nil, nil, index.Importance{} // so that the pool keeps neither app nor graph alive
		fastGCNPool.Put(f)
		return row
	}, nil
}

// grow appends one sample to row: the roots, then layer after layer with its links to the layer before.
func (f *fastGCNSampler) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = addRoots(row, roots)
	for l, size := range f.sizes {
		if row.Stopped() {
			break
		}
		f.choose(key.Stream(uint64(l)).Key(0), uint64(size))
		row = buffer.GrowRow(row, len(f.vertices)).AddLayer(f.vertices)
		f.weigh(f.table.Sum, func(i int) uint64 { return uint64(f.table.Biases[f.vertices[i]]) })
		row.Links = f.connect(row)
	}
	return row
}

// choose draws the vertices of a layer from the whole graph, by importance.
func (f *fastGCNSampler) choose(key rng.Key, size uint64) {
	f.vertices = buffer.Grow(f.vertices[:0], int(size))
	if f.replace {
		for j := range size {
			f.vertices = append(f.vertices, uint32(selector.Alias(key.Word(j), f.table.Alias)))
		}
		return
	}
	buffer.MustFit(buffer.ScratchBytes * int64(size))
	f.picks = buffer.Grow(f.picks[:0], int(size))[:size]
	n := selector.SuccessiveAt(key, size, f.table.Alias, f.table.Biases, 0, f.picks, &f.scratch)
	for _, u := range f.picks[:n] {
		f.vertices = append(f.vertices, uint32(u))
	}
}
