package cpu

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() { growers["FastGCN"] = newFastGCN }

// fastGCN grows samples of app.FastGCN.
type fastGCN struct {
	layerwise
	app     *app.FastGCN
	table   index.Importance
	picks   []uint64
	scratch selector.Scratch
}

var fastGCNPool = sync.Pool{New: func() any { return new(fastGCN) }}

func newFastGCN(p plan.Plan, g *graph.Graph) (whole.Grow, error) {
	a := p.App.(*app.FastGCN)
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		f := fastGCNPool.Get().(*fastGCN)
		f.app, f.g, f.norm, f.table = a, g, a.Normalization, a.Importance()
		row = f.grow(key, roots, row)
		f.app, f.g, f.table = nil, nil, index.Importance{}
		fastGCNPool.Put(f)
		return row
	}, nil
}

func (f *fastGCN) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = begin(row, roots)
	for l, size := range f.app.Sizes {
		if row.Stopped() {
			break
		}
		f.choose(key.Stream(uint64(l)).Key(0), uint64(size))
		row = grownRow(row, len(f.vertices)).AddLayer(f.vertices)
		f.weigh(f.table.Sum, func(i int) uint64 { return uint64(f.table.Biases[f.vertices[i]]) })
		row.Links = f.connect(row)
	}
	return row
}

// choose draws a layer.
func (f *fastGCN) choose(key rng.Key, size uint64) {
	f.vertices = grown(f.vertices[:0], int(size))
	if f.app.Replace {
		for j := range size {
			f.vertices = append(f.vertices, uint32(selector.Alias(key.Word(j), f.table.Alias)))
		}
		return
	}
	afford(scratchBytes * int64(size))
	f.picks = grown(f.picks[:0], int(size))[:size]
	n := selector.SuccessiveAt(key, size, f.table.Alias, f.table.Biases, 0, f.picks, &f.scratch)
	for _, u := range f.picks[:n] {
		f.vertices = append(f.vertices, uint32(u))
	}
}
