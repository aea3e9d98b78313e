package partition

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// depart sends the walkers that begin a step in another part, with hints about the vertex that they leave.
func (c *movement) depart() {
	g, r := c.group, c.owned
	for _, i := range g.leaving.all() {
		w := &g.walkers[i]
		g.first[i] = r.indptr[w.row]
		g.from[i], g.degree[i] = r.indptr[w.row+1]-g.first[i], c.part.Degree(w.at)
	}
	// 1. Select the hints and prefetch them. Send the walkers that need none.
	g.positions = g.positions[:0]
	some := g.leaving.of[:0]
	for _, i := range g.leaving.all() {
		if c.selectHints(i); g.walkers[i].selected > 0 {
			some = append(some, i)
			continue
		}
		c.leave(moves, i)
	}
	stage.PrefetchIndices(unsafe.SliceData(r.indices), g.positions)
	// 2. Read the hints.
	for _, i := range some {
		w := &g.walkers[i]
		places := w.hints
		w.hints = noHints(w.prev)
		for t, k := range places[:w.selected] {
			w.hints[t] = endPoint(r.indices, g.first[i]+uint64(k), k == 0, w.prev)
		}
		c.leave(hinted, i)
	}
	g.leaving.size = 0
}

// selectHints selects the edges of the row that a walker leaves whose end points its first tries propose in the region Near. The
// regions are those without weights and without parallel edges. If they differ, some hints are not used, and others are missing.
func (c *movement) selectHints(i uint8) {
	g, w := c.group, &c.group.walkers[i]
	w.selected = 0
	if g.from[i] >= g.degree[i] { // there is no region Near
		return
	}
	regions := c.second.outliers.Regions(g.degree[i], g.from[i], index.SingleReach)
	for t := range w.hints {
		word := w.key.Word(uint64(w.slot) + uint64(t))
		if slot, _ := rng.Below(word, regions.Back); slot < regions.Row || slot >= regions.Near {
			return // this try is most likely the last
		}
		k, _ := rng.Below(rng.Key(word).Word(0), g.from[i])
		w.hints[t] = uint32(k)
		w.selected++
		g.positions = append(g.positions, g.first[i]+k)
	}
}
