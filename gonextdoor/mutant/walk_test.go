package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// picker picks one of the candidates of a row, or returns -1.
type picker func(word uint64, row row) int64

// row has the edges of a vertex for pickers.
type row struct {
	n      uint64
	biases []uint32          // nil: unweighted
	slots  []index.AliasSlot // the alias table; empty if unweighted, or if no edge has a bias
	search bool              // whether choices search in sums of the biases
	next   []index.AliasSlot // slots shifted by one edge, as a faulty index reads them; slots itself if there is no next edge
}

func rowOf(g *graph.Graph, u uint32, weighted app.Weighted) row {
	first, end := g.Row(u)
	r := row{n: end - first, search: weighted == app.Computed}
	if r.search {
		r.biases = g.Biases[first:end]
	}
	if weighted == app.Yes {
		r.biases, r.slots = g.Biases[first:end], index.AliasRow(g, u)
		r.next = index.AliasOf(g)[first+1 : end+1][:r.n:r.n]
		if end == uint64(g.NumEdges()) {
			r.next = r.slots
		}
	}
	return r
}

// right is the picker without a fault.
func right(word uint64, r row) int64 {
	switch {
	case r.search:
		return selector.Scan(word, len(r.biases), func(i int) uint64 { return uint64(r.biases[i]) })
	case r.biases != nil:
		return selector.Alias(word, r.slots)
	}
	return selector.Uniform(word, r.n)
}

// walkBy returns DeepWalk with another picker, and another word for each step.
func walkBy(pick picker, word func(key rng.Key, step uint64) uint64) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		d, ok := a.(*apps.DeepWalk)
		if !ok || d.Computes() {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			v := roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range uint64(d.Length) {
				var e uint64
				v, e = stepBy(pick, g, v, word(key, s), d.Weighted)
				out = out.Add(v, e)
			}
			return out
		}
	}
}

func stepBy(pick picker, g *graph.Graph, v uint32, word uint64, weighted app.Weighted) (uint32, uint64) {
	if v == graph.None {
		return graph.None, graph.NoEdge
	}
	i := pick(word, rowOf(g, v, weighted))
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	position := g.Indptr[v] + uint64(i)
	return g.Indices[position], position
}

// weightedOnly restricts a fault to weighted walks.
func weightedOnly(pick picker) picker {
	return func(word uint64, r row) int64 {
		if len(r.slots) == 0 {
			return right(word, r)
		}
		return pick(word, r)
	}
}

// searchOnly restricts a fault to walks by computed weights.
func searchOnly(pick picker) picker {
	return func(word uint64, r row) int64 {
		if right := right(word, r); !r.search || right < 0 {
			return right
		}
		return pick(word, r)
	}
}

// unweightedOnly restricts a fault to unweighted walks.
func unweightedOnly(pick picker) picker {
	return func(word uint64, r row) int64 {
		if r.biases != nil || r.n == 0 {
			return right(word, r)
		}
		return pick(word, r)
	}
}

func ownWord(key rng.Key, step uint64) uint64 { return key.Word(rng.Slot(step, 0)) }
