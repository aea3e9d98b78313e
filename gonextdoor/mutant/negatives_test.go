package mutant

import (
	"maps"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() {
	families = append(families, negativeMutants)
	sound["Negatives"] = negativesBy(negativeFault{})
	sound["NegativePairs"] = pairsBy(negativeFault{})
}

// negativeFault selects a fault of negatives; the zero value has none.
type negativeFault struct {
	keep    bool // the last rejected proposal is taken
	any     bool // no pair is checked
	loops   bool // self-loops are checked against edges alone
	even    bool // the exact choice forgets the weights
	sources bool // the exact choice draws the source as a try does
}

// draw returns the pair of a sample.
func (f negativeFault) draw(d *app.NegativeDraws, g *graph.Graph, key rng.Key, root uint32) (u, v uint32) {
	excluded := func(u, v uint32) bool { return !f.any && (g.HasEdge(u, v) || u == v && !d.Loops && !f.loops) }
	for t := range uint64(selector.MaxTries) {
		if u, v = d.Try(key, t, root); v != graph.None && !excluded(u, v) {
			return u, v
		}
	}
	if f.keep {
		return u, v
	}
	const try = selector.MaxTries
	if d.Pairs && f.sources {
		u, _ = d.Try(key, try, root)
	} else if d.Pairs {
		u = uint32(selector.Scan(key.Word(rng.Slot(1, try)), int(d.Sources), func(u int) uint64 { return d.Mass(g, uint32(u)) }))
	}
	list, n := d.Candidates(u), int(d.Ends)
	if d.Lists != nil {
		n = len(list)
	}
	i := selector.Scan(key.Word(rng.Slot(0, try)), n, func(i int) uint64 {
		if bias := d.Bias(g, u, list, i); !f.even || bias == 0 {
			return bias
		}
		return 1
	})
	switch {
	case i < 0:
		return u, graph.None
	case list != nil:
		return u, list[i]
	}
	return u, uint32(i)
}

func negativesBy(f negativeFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.Negatives)
		if !ok || n.Hops > 0 {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			_, v := f.draw(n.NegativeDraws(), g, key, roots[0])
			out.Vertices = append(out.Vertices, roots[0])
			return out.Add(v, graph.NoEdge)
		}
	}
}

func pairsBy(f negativeFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.NegativePairs)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, _ []uint32, out app.Row) app.Row {
			u, v := f.draw(n.NegativeDraws(), g, key, 0)
			return out.Add(u, graph.NoEdge).Add(v, graph.NoEdge)
		}
	}
}

// hopFault selects a fault of vertices at a number of hops.
type hopFault struct {
	nearer bool // vertices at a smaller distance are drawn too
	paths  bool // a vertex is as likely as the number of walks that end at it
}

// level returns the vertices from which a fault draws.
func (f hopFault) level(g *graph.Graph, root uint32, hops int) (level []uint32) {
	level = []uint32{root}
	seen := map[uint32]bool{root: true}
	var all []uint32
	for range hops {
		next, before := []uint32(nil), maps.Clone(seen)
		for _, v := range level {
			for _, w := range g.Neighbors(v) {
				if before[w] || seen[w] && !f.paths {
					continue
				}
				seen[w] = true
				next = append(next, w)
			}
		}
		level, all = next, append(all, next...)
	}
	if f.nearer {
		return all
	}
	return level
}

func hopsBy(f hopFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		n, ok := a.(*apps.Negatives)
		if !ok || n.Hops == 0 {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			ends := n.NegativeDraws().Ends
			v, level := graph.None, slices.DeleteFunc(f.level(g, roots[0], n.Hops), func(v uint32) bool { return uint64(v) >= ends })
			if i := selector.Uniform(key.Word(0), uint64(len(level))); i >= 0 {
				v = level[i]
			}
			out.Vertices = append(out.Vertices, roots[0])
			return out.Add(v, graph.NoEdge)
		}
	}
}

var negativeMutants = []mutant{
	{"Negatives: vertices at fewer hops drawn too", likely, hopsBy(hopFault{nearer: true})},
	{"Negatives: vertices at a number of hops by their number of walks", likely, hopsBy(hopFault{paths: true})},
	{"Negatives: pairs are not checked against the edges", likely, negativesBy(negativeFault{any: true})},
	{"Negatives: last rejected proposal accepted", likely, negativesBy(negativeFault{keep: true})},
	{"Negatives: root not excluded", likely, negativesBy(negativeFault{loops: true})},
	{"Negatives: weights ignored if all tries are rejected", likely, negativesBy(negativeFault{even: true})},
	{"NegativePairs: last rejected proposal accepted", likely, pairsBy(negativeFault{keep: true})},
	{"NegativePairs: source drawn without regard to its negatives if all tries are rejected", likely, pairsBy(negativeFault{sources: true})},
}
