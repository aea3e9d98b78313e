package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// tryOutliers makes the tries of the walkers of the turn that propose an outlier, in rows without weights and without parallel
// edges. There the only edge to a vertex has the share of index.SingleReach, so the place is accepted or rejected before the
// edge is searched, and the searches of all walkers advance in lockstep.
func (c *trials) tryOutliers() {
	g, t := c.group, c.second
	share := index.SingleReach.Most()
	// 1. Edges back.
	for _, i := range g.proposed[fromBack].all() {
		w := &g.walkers[i]
		regions := t.outliers.Regions(g.degree[i], g.from[i], index.SingleReach)
		factor := t.outliers.Back
		if regions.Short() {
			factor = t.outliers.ShortBack
		}
		switch {
		case !selector.Within(w.position-g.first[i]-regions.Near, w.accept, share, factor):
			c.conclude(i, graph.NoEdge, rejected)
		case c.part.Whole.Symmetric && !c.record.Edges: // the edge back exists
			c.move(i, w.prev, graph.NoEdge, false)
		default:
			c.searchOutlier(i, w.prev)
		}
	}
	// 2. Edges to neighbours of the previous vertex.
	for _, i := range g.proposed[fromNear].all() {
		w := &g.walkers[i]
		if !selector.Within(w.position-g.first[i]-g.degree[i], w.accept, share*g.from[i], t.outliers.ShortNear) {
			c.conclude(i, graph.NoEdge, rejected)
			continue
		}
		if from, row, ok := c.locate(w.prev); ok {
			first, end := from.indptr[row], from.indptr[row+1]
			k, _ := rng.Below(rng.Key(w.key.Word(uint64(w.slot))).Word(0), end-first)
			w.position, w.candidate = first+k, uint32(k)
			if g.nears.push(i); from == c.owned {
				g.positions = append(g.positions, w.position)
			}
		} else if candidate, known := w.hint(); known {
			c.searchOutlier(i, candidate)
		} else {
			c.send(proposals, c.part.Owner(w.prev), w)
			g.free.push(i)
		}
	}
}

// readNears reads the end points of previous vertices that walkers propose, and begins the searches for them.
func (c *trials) readNears() {
	for _, i := range c.group.nears.all() {
		w := &c.group.walkers[i]
		from, _, _ := c.locate(w.prev)
		c.searchOutlier(i, endPoint(from.indices, w.position, w.candidate == 0, w.prev))
	}
	c.group.nears.size = 0
}
