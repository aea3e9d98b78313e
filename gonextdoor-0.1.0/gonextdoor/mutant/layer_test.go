package mutant

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// layerFault selects a fault of layers that are drawn by importance; the zero value has none.
type layerFault struct {
	roots     bool // the norms of columns, not their squares
	loopless  bool // no self-loops are added
	whole     bool // LADIES draws by the importance for the whole graph
	first     bool // the importance of a vertex counts the first edge only
	again     bool // draws without replacement are with replacement
	regions   bool // draws without replacement are by region search as printed
	undivided bool // values are not divided by size times probability
	weighty   bool // values are divided by the probability alone
	unsummed  bool // rows are not divided by their sums
}

// layered is a sample of FastGCN or LADIES with another way to weigh, pick or link.
type layered struct {
	layerFault
	g                             *graph.Graph
	norm                          index.Normalization
	dependent, replace, normalize bool
}

func layerBy(f layerFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		var l layered
		var sizes []int
		switch a := a.(type) {
		case *apps.FastGCN:
			l, sizes = layered{f, nil, a.Normalization, false, a.Replace, false}, a.Sizes
		case *apps.LADIES:
			l, sizes = layered{f, nil, a.Normalization, true, a.Replace, a.Normalize}, a.Sizes
		default:
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			l.g = g
			out.Vertices, out.Ends = append(out.Vertices, roots...), append(out.Ends, int32(len(roots)))
			last := roots
			for step, size := range sizes {
				vertices, weights := l.weigh(last)
				picks := l.pick(key.Stream(uint64(step)).Key(0), size, weights)
				var next []uint32
				for _, i := range picks {
					next = append(next, vertices[i])
				}
				first := len(out.Vertices) - len(last)
				out = l.link(out.AddLayer(next), int32(first), last, picks, weights)
				last = next
			}
			return out
		}
	}
}

// weigh returns the candidates and their importances, as integers that are fine enough for small graphs.
func (l *layered) weigh(last []uint32) (vertices []uint32, weights []uint64) {
	rows := last
	if !l.dependent || l.whole {
		rows = nil
		for v := range uint32(l.g.NumVertices()) {
			rows = append(rows, v)
		}
	}
	sums, order := map[uint32]float64{}, []uint32{}
	for _, v := range rows {
		index.Entries(l.g, v, func(u uint32, count uint64) {
			if _, met := sums[u]; met && l.first {
				return
			} else if !met {
				order = append(order, u)
			}
			if u == v && l.loopless {
				count--
			}
			a := float64(count) * l.norm.Source(l.g.Degree(v)+1) * l.norm.Target(l.g.Degree(u)+1)
			sums[u] += a * a
		})
	}
	if !l.dependent { // in the order of vertices
		order = rows
	}
	for _, u := range order {
		x := sums[u]
		if l.roots {
			x = math.Sqrt(x)
		}
		weights = append(weights, uint64(x*(1<<30)))
	}
	return order, weights
}

// pick draws by Scan, without replacement over the remaining candidates.
func (l *layered) pick(key rng.Key, size int, weights []uint64) (picks []uint64) {
	left := append([]uint64(nil), weights...)
	if !l.replace && len(weights) <= size {
		size = 0
		for i := range weights {
			picks = append(picks, uint64(i))
		}
	}
	if l.regions && !l.replace {
		for _, i := range severalRegions(key, size, left, func(i int) { left[i] = 0 }) {
			picks = append(picks, uint64(i))
		}
		return picks
	}
	for j := range uint64(size) {
		i := selector.Scan(key.Word(j), len(left), func(i int) uint64 { return left[i] })
		picks = append(picks, uint64(i))
		if !l.replace && !l.again {
			left[i] = 0
		}
	}
	return picks
}

// link appends the entries between the last two layers.
func (l *layered) link(out app.Row, first int32, last []uint32, picks, weights []uint64) app.Row {
	total, middle := uint64(0), first+int32(len(last))
	for _, w := range weights {
		total += w
	}
	next := out.Vertices[middle:]
	for s, v := range last {
		begun := len(out.Links)
		for t, u := range next {
			value := l.norm.Source(l.g.Degree(v)+1) * app.Factor(l.norm, l.g.Degree(u)+1, weights[picks[t]], total, len(next))
			if p := float64(weights[picks[t]]) / float64(total); l.undivided {
				value *= p * float64(len(next))
			} else if l.weighty {
				value *= float64(len(next))
			}
			like := app.Link{Source: first + int32(s), Target: middle + int32(t), Position: graph.NoEdge, Value: value}
			if u == v {
				out.Links = append(out.Links, like)
			}
			for position, end := l.g.Row(v); position < end; position++ {
				if l.g.Indices[position] == u {
					like.Position = position
					out.Links = append(out.Links, like)
				}
			}
		}
		if l.normalize && !l.unsummed {
			app.Normalize(out.Links[begun:])
		}
	}
	return out
}

var layerMutants = []mutant{
	{"Layers: column norms instead of squared column norms", "FastGCN (ICLR'18), as published", layerBy(layerFault{roots: true})},
	{"Layers: self-loops not added", likely, layerBy(layerFault{loopless: true})},
	{"Layers: LADIES with importance over the whole graph", likely, layerBy(layerFault{whole: true})},
	{"Layers: importance counts each vertex for one row only", likely, layerBy(layerFault{first: true})},
	{"Layers: repeated picks kept", published, layerBy(layerFault{again: true})},
	{"Layers: bipartite region search as printed", csaw, layerBy(layerFault{regions: true})},
	{"Layers: values not divided by the probability", likely, layerBy(layerFault{undivided: true})},
	{"Layers: values not divided by the sample size", likely, layerBy(layerFault{weighty: true})},
	{"Layers: rows not normalised", likely, layerBy(layerFault{unsummed: true})},
}
