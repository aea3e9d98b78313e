package partition

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// firstTries is the number of tries of a step that have a hint.
const firstTries = 2

// hints are the end points of the row of a vertex that the first tries of the next step propose, if their slots are in the region
// Near: those of nearOf. The part that has the row reads them when a walker leaves, so that another part need not ask for them.
// They are a function of the row and the try. The vertex itself stands for an end point that was not read.
type hints [firstTries]uint32

// noHints returns hints about a vertex that were not read.
func noHints(v uint32) hints { return hints{v, v} }

// hint returns the end point of the previous vertex that the try of a walker proposes in the region Near, if it is known.
func (w *walker) hint() (candidate uint32, known bool) {
	if t := w.slot & 255; t < firstTries && w.hints[t] != w.prev {
		return w.hints[t], true
	}
	return 0, false
}

// everywhere reports whether all parts have the row of a vertex.
func (c *Cohort) everywhere(v uint32) (ok bool) {
	if c.hot != nil {
		_, ok = c.part.hotSet.row(v)
	}
	return ok
}

// depart sends the walkers that begin a step in another part, with hints about the vertex that they leave.
func (c *Cohort) depart() {
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
func (c *Cohort) selectHints(i uint8) {
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

// leave sends a walker to the part that has the row of its vertex.
func (c *Cohort) leave(k kind, i uint8) {
	w := &c.group.walkers[i]
	c.send(k, c.part.Owner(w.at), w)
	c.group.free.push(i)
}
