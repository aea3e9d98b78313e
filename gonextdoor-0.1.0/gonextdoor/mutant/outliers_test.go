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

// outlierFault has a fault of Node2Vec's tries with outliers. A nil function is the correct one.
type outlierFault struct {
	factors   func(o selector.Outliers) selector.Outliers
	reach     func(g *graph.Graph, v uint32, weighted bool) index.Reach
	place     func(p app.Place) app.Place
	sure      bool // edges of the row are accepted although there is no region Near
	backOnce  bool // edges back are rejected in the row
	backNear  bool // Near may lead back
	parallels bool // Near counts parallel edges of the previous vertex
}

func outliersBy(f outlierFault) func(app.App) apptest.Sampler {
	if f.factors == nil {
		f.factors = func(o selector.Outliers) selector.Outliers { return o }
	}
	if f.reach == nil {
		f.reach = index.ReachAt
	}
	if f.place == nil {
		f.place = func(p app.Place) app.Place { return p }
	}
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.Node2Vec)
		if !ok || n.Computes() {
			return nil
		}
		order, o := n.Outliers()
		if o.Back == 0 {
			return nil
		}
		o = f.factors(o)
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			prev, v := graph.None, roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range uint64(n.Length) {
				var next uint32
				var e uint64
				if prev == graph.None || v == graph.None || g.Degree(v) == 0 {
					next, e = stepBy(right, g, v, key.Word(rng.Slot(s, 0)), n.Weighted)
				} else {
					next, e = f.step(n, g, key, s, prev, v, order, o)
				}
				out = out.Add(next, e)
				prev, v = v, next
			}
			return out
		}
	}
}

func (f outlierFault) step(
	n *apps.Node2Vec, g *graph.Graph, key rng.Key, s uint64, prev, v uint32, order app.SecondOrder, o selector.Outliers,
) (uint32, uint64) {
	weighted := n.Weighted == app.Yes
	reach, from := f.reach(g, v, weighted), g.Neighbors(prev)
	r := o.Regions(g.Degree(v), uint64(len(from)), reach)
	for try := range uint64(selector.MaxTries) {
		word := key.Word(rng.Slot(s, try))
		slot, fraction := rng.Below(word, r.Back)
		to, p := prev, app.Place{Slot: slot - r.Near, Fraction: fraction, Scale: 1, Factor: o.Back}
		switch {
		case slot < r.Row:
			at, accept := g.Indptr[v]+slot, fraction
			if weighted {
				table := index.AliasRow(g, v)
				if len(table) == 0 {
					return graph.None, graph.NoEdge
				}
				at, accept = g.Indptr[v]+uint64(selector.AliasAt(slot, fraction, table)), rng.Second(word)
			}
			next := g.Indices[at]
			if f.backOnce && next == prev {
				continue
			}
			if f.sure || r.Short() || uint64(accept) < order.Of(g, prev, next) {
				return next, at
			}
			continue
		case slot < r.Near:
			j, _ := rng.Below(rng.Key(word).Word(0), uint64(len(from)))
			if to = from[j]; to == prev && !f.backNear || j > 0 && from[j-1] == to && !f.parallels {
				continue
			}
			p = app.Place{Slot: slot - r.Row, Fraction: fraction, Scale: uint64(len(from)), Factor: o.ShortNear}
		case r.Short():
			p.Factor = o.ShortBack
		}
		if at := f.place(p).Edge(g, g.Indptr[v], g.Indptr[v+1], to, weighted, reach); at != graph.NoEdge {
			return to, at
		}
	}
	return n.AfterTries(g, key, s, prev, v)
}

func init() {
	sound["Node2Vec, outliers"] = outliersBy(outlierFault{})
	families = append(families, []mutant{
		{"Node2Vec: outliers: 1/p in their region, and 1 among the others", likely, outliersBy(outlierFault{
			factors: func(o selector.Outliers) selector.Outliers {
				o.Back, o.ShortBack = o.Back+1<<32, o.ShortBack+1<<32
				return o
			}})},
		{"Node2Vec: outliers: edges back in their region only", likely, outliersBy(outlierFault{backOnce: true})},
		{"Node2Vec: outliers: the region of a row without weights", likely, outliersBy(outlierFault{
			reach: func(g *graph.Graph, v uint32, _ bool) index.Reach { return index.ReachAt(g, v, false) }})},
		{"Node2Vec: outliers: the same region whether or not there is a second one", likely, outliersBy(outlierFault{
			factors: func(o selector.Outliers) selector.Outliers {
				o.ShortBack = o.Back
				return o
			}})},
		{"Node2Vec: outliers: all edges of the row accepted", likely, outliersBy(outlierFault{sure: true})},
		{"Node2Vec: outliers: a step back counts as one to a neighbour too", likely, outliersBy(outlierFault{backNear: true})},
		{"Node2Vec: outliers: parallel edges of the previous vertex count several times", likely, outliersBy(outlierFault{parallels: true})},
		{"Node2Vec: outliers: parallel edges share one place", likely, outliersBy(outlierFault{
			place: func(p app.Place) app.Place {
				p.Slot, p.Fraction = 0, 0
				return p
			}})},
		{"Node2Vec: outliers: the previous vertex's edges do not count", likely, outliersBy(outlierFault{
			place: func(p app.Place) app.Place {
				p.Scale = 1
				return p
			}})},
	})
}
