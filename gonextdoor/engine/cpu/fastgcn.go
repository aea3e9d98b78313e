package cpu

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() { growers["FastGCN"] = newFastGCN }

// fastGCN grows samples of app.FastGCN.
type fastGCN struct {
	layerwise
	app     *app.FastGCN
	table   graph.Importance
	picks   []uint64
	scratch selector.Scratch
}

func newFastGCN(p plan.Plan, g *graph.Graph) (whole.Grow, error) {
	a := p.App.(*app.FastGCN)
	f := &fastGCN{app: a, table: a.Importance()}
	f.layerwise = layerwise{g: g, norm: a.Normalization, marks: newMarks(g.NumVertices())}
	return f.grow, nil
}

func (f *fastGCN) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = begin(row, roots)
	for l, size := range f.app.Sizes {
		f.choose(key.Stream(uint64(l)).Key(0), uint64(size))
		row = row.AddLayer(f.vertices)
		f.weigh(f.table.Sum, func(i int) uint64 { return uint64(f.table.Biases[f.vertices[i]]) })
		row.Links = f.connect(row)
	}
	return row
}

// choose draws a layer.
func (f *fastGCN) choose(key rng.Key, size uint64) {
	f.vertices = f.vertices[:0]
	if f.app.Replace {
		for j := range size {
			f.vertices = append(f.vertices, uint32(selector.Alias(key.Word(j), f.table.Alias)))
		}
		return
	}
	f.picks = slices.Grow(f.picks[:0], int(size))[:size]
	n := selector.SuccessiveAt(key, size, f.table.Alias, f.table.Biases, 0, f.picks, &f.scratch)
	for _, u := range f.picks[:n] {
		f.vertices = append(f.vertices, uint32(u))
	}
}
