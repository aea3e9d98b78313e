package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// pooled is a vertex of a pool, and where it was reached from.
type pooled struct{ vertex, prev uint32 }

// pool gives the pool of the group's sample number s; nil where the app has none.
func (w *walkers) pool(s uint32) []pooled {
	if w.pools == nil {
		return nil
	}
	return w.pools[int(s)*w.c.roots:][:w.c.roots]
}

// fromPools has each walker's transit drawn from its pool; where no vertex of it has a bias, the walk has ended.
func (w *walkers) fromPools() {
	r, c, t := w.c.roots, &w.c, &w.tried
	t.step, t.roots, t.views = c.step, c.roots, c.views
	together := len(t.who) / r // walkers whose pools are weighed in one call
	for lo := 0; lo < w.n; lo += together {
		hi, m := min(lo+together, w.n), 0
		for i := lo; i < hi; i++ {
			for _, v := range w.pool(c.who[i]) {
				t.take(m, c, i)
				t.transit[m], t.prev[m], t.words[m], t.edge[m], t.dst[m] = graph.None, graph.None, c.words[i], graph.NoEdge, v.vertex
				m++
			}
		}
		w.weighVertices(t, m, w.biases)
		for i := lo; i < hi; i++ {
			biases := w.biases[(i-lo)*r:][:r]
			word := rng.Key(c.key[i]).Word(rng.Slot(uint64(w.step), app.PoolTry))
			at := selector.Scan(word, r, func(k int) uint64 { return biases[k] })
			c.transit[i] = graph.None
			if at >= 0 {
				v := w.pool(c.who[i])[at]
				w.lanes[w.of[i]].at = int(at)
				c.transit[i], c.prev[i] = v.vertex, v.prev
			}
		}
	}
	w.keep(func(i int) bool { return c.transit[i] != graph.None })
}
