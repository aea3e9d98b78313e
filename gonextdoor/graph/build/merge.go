package build

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// merge merges sorted edges with the rows of a graph, less the edges that are dropped. Among edges to one neighbour, those of
// the graph come first.
type merge struct {
	from    *graph.Graph
	dropped bitmap // the positions in from of the edges to remove; nil: none

	added         sortedRows // no indptr: none; order has the number of each edge in the caller's list
	weights       []float64  // of the edges in added; nil: unweighted
	labels        []int32    // nil: none
	times         []int64    // nil: none
	nextID, endID uint64     // edge i of the list has the id nextID + i, below endID

	rows    int // of the result
	to      *graph.Graph
	ids     graph.EdgeOrder
	threads int
	job     *job.Job
}

// piece is a run of edges of the result: n successive edges of the graph, or of those that are added, from one on.
type piece struct {
	from  uint64
	n     uint64
	added bool
}

// changedRow is a row of the result that differs from that of the graph, with its pieces.
type changedRow struct {
	vertex     uint32
	first, end int
}

// free frees everything but the result.
func (m *merge) free() {
	offheap.Free(m.dropped)
	m.added.free()
	offheap.Free(m.weights)
	offheap.Free(m.labels)
	offheap.Free(m.times)
}

// run returns the merged graph.
func (m *merge) run() (_ *graph.Graph, err error) {
	m.to = &graph.Graph{NoEdgeIDs: m.from.NoEdgeIDs}
	if !m.to.NoEdgeIDs {
		m.to.NextID = max(m.nextID, m.endID)
	}
	defer func() {
		if err != nil {
			m.ids.Free()
			m.to.Close()
		}
	}()
	// 1. Count the edges of each row.
	if err = m.countRows(); err != nil {
		return nil, err
	}
	// 2. Copy the runs of edges between changes.
	if err = m.allocate(); err != nil {
		return nil, err
	}
	scratch := make([]mergeScratch, parallel.Workers(m.threads, m.rows, graph.VertexChunk))
	err = parallel.ForWorker(m.job, m.threads, m.rows, graph.VertexChunk, func(worker, lo, hi int) error {
		s := &scratch[worker]
		m.cut(uint32(lo), uint32(hi), s)
		return m.copy(uint32(lo), s)
	})
	if err != nil {
		return nil, err
	}
	// 3. Drop the list of ids if they are the positions.
	switch {
	case m.to.NoEdgeIDs:
	case m.ids.InOrder(m.to.NumEdges()):
		m.ids.Free()
	default:
		setIDs(m.to, m.ids)
	}
	m.ids = graph.EdgeOrder{}
	return m.to, m.to.Summarize(m.threads, m.job)
}

// oldRow returns the positions of u's edges in the graph, none if u is new.
func (m *merge) oldRow(u uint32) (first, end uint64) {
	if int(u) >= m.from.NumVertices() {
		return uint64(m.from.NumEdges()), uint64(m.from.NumEdges())
	}
	return m.from.Row(u)
}

// addedRow returns the indices in added of the edges that u gets.
func (m *merge) addedRow(u uint32) (first, end uint64) {
	if m.added.indptr == nil {
		return 0, 0
	}
	return m.added.indptr[u], m.added.indptr[u+1]
}

// countRows sets Indptr and Changed of the result.
func (m *merge) countRows() (err error) {
	g := m.to
	if g.Indptr, err = offheap.Make[uint64](m.rows + 1); err != nil {
		return err
	}
	graph.Own(g, g.Indptr)
	if g.Changed, err = makeBitmap(uint64(m.rows)); err != nil {
		return err
	}
	graph.Own(g, g.Changed)
	err = parallel.For(m.job, m.threads, m.rows, graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			first, end := m.oldRow(uint32(u))
			plus, minus := uint64(0), uint64(0)
			if m.added.indptr != nil {
				plus = m.added.indptr[u+1] - m.added.indptr[u]
			}
			if m.dropped != nil {
				minus = m.dropped.count(first, end)
			}
			g.Indptr[u+1] = end - first + plus - minus
			if plus|minus != 0 {
				g.Changed[u/64] |= 1 << (u % 64) // a chunk has whole words
			}
		}
		return nil
	})
	for u := range m.rows {
		g.Indptr[u+1] += g.Indptr[u]
	}
	return err
}

// allocate allocates the arrays of edges.
func (m *merge) allocate() (err error) {
	g, n := m.to, int(m.to.Indptr[m.rows])
	if g.Indices, err = offheap.MakeSlack[uint32](n, 1); err != nil {
		return err
	}
	graph.Own(g, g.Indices)
	g.Indices[:n+1][n] = graph.None
	if !g.NoEdgeIDs {
		if m.ids, err = graph.MakeEdgeOrder(n, int(g.NextID)); err != nil {
			return err
		}
	}
	if g.Biases, err = ownLike(g, m.from.Biases, n); err != nil {
		return err
	}
	if g.Scales, err = ownLike(g, m.from.Scales, m.rows); err != nil {
		return err
	}
	if g.Labels, err = ownLike(g, m.from.Labels, n); err != nil {
		return err
	}
	g.Times, err = ownLike(g, m.from.Times, n)
	return err
}

// mergeScratch is the memory of a worker.
type mergeScratch struct {
	pieces  []piece
	changed []changedRow
}

// cut lists the pieces of rows lo ... hi-1, and the changed rows among them. Unchanged rows between two changed ones are one
// piece.
func (m *merge) cut(lo, hi uint32, s *mergeScratch) {
	s.pieces, s.changed = s.pieces[:0], s.changed[:0]
	at, _ := m.oldRow(lo)
	changed := bitmap(m.to.Changed)
	for next := changed.next(uint64(lo), uint64(hi)); next < uint64(hi); next = changed.next(next+1, uint64(hi)) {
		u := uint32(next)
		first, end := m.oldRow(u)
		s.keep(at, first)
		from := len(s.pieces)
		m.cutRow(u, first, end, s)
		s.changed = append(s.changed, changedRow{u, from, len(s.pieces)})
		at = end
	}
	_, end := m.oldRow(hi - 1)
	s.keep(at, end)
}

// cutRow lists the pieces of a changed row, whose edges in the graph are at [at, end).
func (m *merge) cutRow(u uint32, at, end uint64, s *mergeScratch) {
	i, stop := m.addedRow(u)
	for i < stop {
		// 1. The edges of the graph before edge i: those to a neighbour that is not above.
		v := m.added.indices[i]
		skip, _ := slices.BinarySearch(m.from.Indices[at:end], v+1)
		m.keepRest(at, at+uint64(skip), s)
		at += uint64(skip)
		// 2. The edges that are added there.
		from := i
		for i++; i < stop && (at == end || m.added.indices[i] < m.from.Indices[at]); i++ {
		}
		s.pieces = append(s.pieces, piece{from, i - from, true})
	}
	m.keepRest(at, end, s)
}

// keepRest lists the pieces of the graph's edges at [at, end) that are not dropped.
func (m *merge) keepRest(at, end uint64, s *mergeScratch) {
	if m.dropped == nil {
		s.keep(at, end)
		return
	}
	for at < end {
		gap := m.dropped.next(at, end)
		s.keep(at, gap)
		at = gap + 1
	}
}

// keep lists the piece of the graph's edges at [at, end).
func (s *mergeScratch) keep(at, end uint64) {
	if at < end {
		s.pieces = append(s.pieces, piece{at, end - at, false})
	}
}

// copy writes the edges of the pieces, of which row lo has the first.
func (m *merge) copy(lo uint32, s *mergeScratch) error {
	g, at := m.to, m.to.Indptr[lo]
	copyPieces(g.Indices[at:], m.from.Indices, m.added.indices, s.pieces)
	if g.Labels != nil {
		copyPieces(g.Labels[at:], m.from.Labels, m.labels, s.pieces)
	}
	if g.Times != nil {
		copyPieces(g.Times[at:], m.from.Times, m.times, s.pieces)
	}
	switch {
	case g.NoEdgeIDs:
	case m.ids.Narrow != nil:
		pieceIDs(m, m.ids.Narrow[at:], m.from.EdgeIDs, s.pieces)
	default:
		pieceIDs(m, m.ids.Wide[at:], m.from.EdgeIDs64, s.pieces)
	}
	if g.Biases == nil {
		return nil
	}
	copyPieces(g.Biases[at:], m.from.Biases, nil, s.pieces)
	if old := m.from.Scales; int(lo) < len(old) {
		copy(g.Scales[lo:min(int(lo)+graph.VertexChunk, m.rows)], old[lo:])
	}
	for _, r := range s.changed {
		if err := m.weigh(r.vertex, s.pieces[r.first:r.end]); err != nil {
			return err
		}
	}
	return nil
}

// copyPieces copies the elements of the pieces. Without an array of those that are added, it leaves a gap for them.
func copyPieces[T any](to, from, added []T, pieces []piece) {
	at := uint64(0)
	for _, p := range pieces {
		if !p.added {
			copy(to[at:at+p.n], from[p.from:])
		} else if added != nil {
			copy(to[at:at+p.n], added[p.from:])
		}
		at += p.n
	}
}

// pieceIDs writes the ids of the edges of the pieces; from has those of the graph in the same width, if there are any.
func pieceIDs[T uint32 | uint64](m *merge, to, from []T, pieces []piece) {
	at := uint64(0)
	for _, p := range pieces {
		ids := to[at : at+p.n]
		at += p.n
		switch {
		case p.added:
			for i := range ids {
				ids[i] = T(m.nextID + m.added.order.At(int(p.from)+i))
			}
		case from != nil:
			copy(ids, from[p.from:])
		case m.from.EdgeIDs == nil && m.from.EdgeIDs64 == nil:
			for i := range ids {
				ids[i] = T(p.from + uint64(i))
			}
		default: // ids of another width
			for i := range ids {
				ids[i] = T(m.from.EdgeID(p.from + uint64(i)))
			}
		}
	}
}
