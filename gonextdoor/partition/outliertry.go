package partition

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// prefetchDegrees prefetches the degrees of the previous vertices of the batch.
func (c *trials) prefetchDegrees(n int) {
	g := c.group
	g.positions = g.positions[:0]
	for _, prev := range g.batch.Previous[:n] {
		g.positions = append(g.positions, uint64(prev))
	}
	stage.PrefetchIndices(unsafe.SliceData(c.part.degrees), g.positions)
}

// proposeOutliers begins the tries of the walkers of the batch that propose an outlier, and prefetches the end points of previous
// vertices that readNears reads.
func (c *trials) proposeOutliers(r *rows) {
	g, b, strays := c.group, &c.group.batch, &c.group.strays
	single := c.second.single(r)
	// 1. Compute the places, and list the walkers by what their places propose. Few branches depend on it.
	for kind := range g.outliers {
		g.outliers[kind].size = 0
	}
	for s, k := range strays.Walker[:strays.Count] {
		i := b.of[k]
		place, near := r.outliers.Place(strays.Slot[s], strays.Near[s], b.Fraction[k], c.part.Degree(g.walkers[i].prev))
		kind := [...]uint8{edgeBack, edgeNear}[bit(near)]
		if single {
			kind = [...]uint8{noOutlier, kind}[bit(place.Selects(index.SingleReach.Most()))]
		} else {
			g.places[i] = place
		}
		g.outliers[kind].push(i)
	}
	for _, i := range g.outliers[noOutlier].all() {
		c.reject(i)
	}
	// 2. Edges back.
	for _, i := range g.outliers[edgeBack].all() {
		if prev := g.walkers[i].prev; single && c.part.Whole.Symmetric && !c.record.Edges { // the edge exists
			c.move(i, prev, graph.NoEdge, false)
		} else {
			c.settleOutlier(i, prev)
		}
	}
	// 3. Edges to neighbours of the previous vertex.
	g.positions, g.nears.size = g.positions[:0], 0
	for _, i := range g.outliers[edgeNear].all() {
		c.proposeNear(i)
	}
	stage.PrefetchIndices(unsafe.SliceData(c.owned.indices), g.positions)
}

// readNears reads the end points of previous vertices that walkers propose and that are in this part. It marks the walkers that
// propose outliers as handled.
func (c *trials) readNears() {
	g := c.group
	for _, k := range g.strays.Walker[:g.strays.Count] {
		g.batch.Accepted[k] = elsewhere
	}
	for _, i := range g.nears.all() {
		w := &g.walkers[i]
		from, _, _ := c.locate(w.prev)
		c.settleOutlier(i, endPoint(from.indices, w.position, w.candidate == 0, w.prev))
	}
}

// proposeNear lets a walker propose an end point of its previous vertex. readNears reads it if this part has the row. Otherwise it is a hint, or the owner of the row is asked.
func (c *trials) proposeNear(i uint8) {
	g, w := c.group, &c.group.walkers[i]
	if r, row, ok := c.locate(w.prev); ok {
		first, end := r.indptr[row], r.indptr[row+1]
		k := stage.EdgeOfPrevious(w.key.Word(uint64(w.slot)), end-first)
		w.position, w.candidate = first+k, uint32(k)
		if g.nears.push(i); r == c.owned {
			g.positions = append(g.positions, w.position)
		}
	} else if candidate, known := w.hint(); known {
		c.settleOutlier(i, candidate)
	} else {
		c.send(proposals, c.part.Owner(w.prev), w)
		g.free.push(i)
	}
}

// settleOutlier decides a try with its candidate: rejected if it is graph.None. In rows without weights and without parallel edges,
// the place has been accepted, and the searches for the edges of all walkers advance in lockstep.
func (c *trials) settleOutlier(i uint8, candidate uint32) {
	w := &c.group.walkers[i]
	r := c.rowsOf(w)
	switch {
	case candidate == graph.None:
		c.reject(i)
	case c.second.single(r):
		w.candidate = candidate
		c.search(i, r, w.row, candidate)
		w.outlier = true
	default:
		first, end := r.indptr[w.row], r.indptr[w.row+1]
		at := c.group.places[i].Edge(r.g, first, end, candidate, c.second.weighted, r.outliers.Of(w.row))
		if at == graph.NoEdge {
			c.reject(i)
			return
		}
		c.move(i, candidate, at, false)
	}
}

// resumeNear continues a try in the region Near with the answer of the owner of the previous vertex.
func (c *trials) resumeNear(i uint8) {
	w := &c.group.walkers[i]
	r := c.rowsOf(w)
	c.group.places[i] = c.second.place(r, w, c.part.Degree(w.prev))
	c.settleOutlier(i, w.candidate)
}

// nearOf returns the end point of a row, that of the previous vertex, that a try in the region Near proposes. It is graph.None
// if the try is rejected: the edge leads to the previous vertex itself or is parallel to the one before it.
func nearOf(r *rows, row, prev uint32, word uint64) uint32 {
	first, end := r.indptr[row], r.indptr[row+1]
	j := stage.EdgeOfPrevious(word, end-first)
	return endPoint(r.indices, first+j, j == 0, prev)
}

// endPoint returns the end point of an edge of the row of prev, or graph.None if the edge leads back to prev or is parallel to the
// one before it.
func endPoint(indices []uint32, position uint64, isFirst bool, prev uint32) uint32 {
	if x := indices[position]; x != prev && (isFirst || indices[position-1] != x) {
		return x
	}
	return graph.None
}
