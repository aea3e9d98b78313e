package output

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// LendMatrix returns an uninitialised result for a number of rows, lent from offheap.Results. Nothing stays lent after an error.
func LendMatrix(rows, width, roots int, edges bool) (m Matrix, err error) {
	m.Width, m.Roots = width, roots
	if m.Vertices, err = lend[uint32](rows * width); err != nil || !edges {
		return m, err
	}
	if m.Edges, err = lend[int64](rows * (width - roots)); err != nil {
		m.Return()
		m = Matrix{}
	}
	return m, err
}

// LendRagged returns an uninitialised result for a number of rows and a total number of vertices, lent from
// offheap.Results. Nothing stays lent after an error.
func LendRagged(rows, vertices int, edges bool) (r Ragged, err error) {
	defer func() {
		if err != nil {
			r.Return()
			r = Ragged{}
		}
	}()
	if r.Offsets, err = lend[int64](rows + 1); err != nil {
		return r, err
	}
	if r.Vertices, err = lend[uint32](vertices); err != nil {
		return r, err
	}
	if edges {
		r.Edges, err = lend[int64](vertices)
	}
	return r, err
}

// Join concatenates results. The result is lent from offheap.Results, and the parts are returned, even after an error.
func Join(parts []Ragged, edges bool) (all Ragged, err error) {
	rows, vertices := 0, 0
	for _, part := range parts {
		defer part.Return()
		rows += max(0, len(part.Offsets)-1)
		vertices += len(part.Vertices)
	}
	if all, err = LendRagged(rows, vertices, edges); err != nil {
		return all, err
	}
	row, at := 0, 0
	for _, part := range parts {
		for i := range max(0, len(part.Offsets)-1) {
			all.Offsets[row] = int64(at) + part.Offsets[i]
			row++
		}
		copy(all.Vertices[at:], part.Vertices)
		copy(all.Edges[min(at, len(all.Edges)):], part.Edges)
		at += len(part.Vertices)
	}
	all.Offsets[rows] = int64(at)
	return all, nil
}

// Sizes has the lengths of the arrays of a Layers result.
type Sizes struct {
	Rows, Vertices, Ends, Links int
	Edges, Record               bool // with edge ids; with links
}

// LendLayers returns an uninitialised result of these sizes, lent from offheap.Results. Nothing stays lent after an error.
func LendLayers(n Sizes) (l Layers, err error) {
	defer func() {
		if err != nil {
			l.Return()
			l = Layers{}
		}
	}()
	if l.Ragged, err = LendRagged(n.Rows, n.Vertices, n.Edges); err != nil {
		return l, err
	}
	if l.Parents, err = lend[int32](n.Vertices); err != nil {
		return l, err
	}
	if l.EndsFrom, err = lend[int64](n.Rows + 1); err != nil {
		return l, err
	}
	if l.Ends, err = lend[int32](n.Ends); err != nil || !n.Record {
		return l, err
	}
	if l.LinksFrom, err = lend[int64](n.Rows + 1); err != nil {
		return l, err
	}
	if l.Sources, err = lend[int32](n.Links); err != nil {
		return l, err
	}
	if l.Targets, err = lend[int32](n.Links); err != nil {
		return l, err
	}
	if l.LinkEdges, err = lend[int64](n.Links); err != nil {
		return l, err
	}
	l.Values, err = lend[float64](n.Links)
	return l, err
}

// JoinLayers concatenates layered results, all with edge ids and links or all without. The result is lent from
// offheap.Results, and the parts are returned, even after an error.
func JoinLayers(parts []Layers, edges, record bool) (all Layers, err error) {
	n := Sizes{Edges: edges, Record: record}
	for _, part := range parts {
		defer part.Return()
		n.Rows += max(0, len(part.Offsets)-1)
		n.Vertices += len(part.Vertices)
		n.Ends += len(part.Ends)
		n.Links += len(part.Sources)
	}
	if all, err = LendLayers(n); err != nil {
		return all, err
	}
	at := Sizes{}
	for _, part := range parts {
		copy(all.Vertices[at.Vertices:], part.Vertices)
		copy(all.Parents[at.Vertices:], part.Parents)
		copy(all.Edges[min(at.Vertices, len(all.Edges)):], part.Edges)
		copy(all.Ends[at.Ends:], part.Ends)
		copy(all.Sources[at.Links:], part.Sources)
		copy(all.Targets[at.Links:], part.Targets)
		copy(all.LinkEdges[at.Links:], part.LinkEdges)
		copy(all.Values[at.Links:], part.Values)
		appendOffsets(all.Offsets[at.Rows:], part.Offsets, at.Vertices)
		appendOffsets(all.EndsFrom[at.Rows:], part.EndsFrom, at.Ends)
		if record {
			appendOffsets(all.LinksFrom[at.Rows:], part.LinksFrom, at.Links)
		}
		at.Rows += max(0, len(part.Offsets)-1)
		at.Vertices, at.Ends, at.Links = at.Vertices+len(part.Vertices), at.Ends+len(part.Ends), at.Links+len(part.Sources)
	}
	all.Offsets[n.Rows], all.EndsFrom[n.Rows] = int64(n.Vertices), int64(n.Ends)
	if record {
		all.LinksFrom[n.Rows] = int64(n.Links)
	}
	return all, nil
}

// appendOffsets writes the offsets of a part that begins at element first.
func appendOffsets(to, offsets []int64, first int) {
	for i, at := range offsets {
		to[i] = int64(first) + at
	}
}

// LendArena returns the uninitialised arena of a NeighborBatch, n words long. It is lent from offheap.Results.
func LendArena(n int) ([]int64, error) { return lend[int64](n) }

// ArenaLender provides the memory of the arenas of mini-batches.
type ArenaLender interface {
	// Lend returns an uninitialised arena, n words long. The caller must Return it.
	Lend(n int) ([]int64, error)
	// Return takes back an arena, or the beginning of one.
	Return(arena []int64)
}

// ResultArenas lends arenas from offheap.Results.
type ResultArenas struct{}

// Lend is LendArena.
func (ResultArenas) Lend(n int) ([]int64, error) { return LendArena(n) }

// Return returns an arena to offheap.Results.
func (ResultArenas) Return(arena []int64) { returnSlice(arena) }

// Return returns the memory of the arena to offheap.Results.
func (b NeighborBatch) Return() { returnSlice(b.Arena) }

// Return returns the memory of a matrix of LendMatrix to offheap.Results. Return of Matrix{} does nothing.
func (m Matrix) Return() {
	returnSlice(m.Vertices)
	returnSlice(m.Edges)
}

// Return returns the memory of all arrays to offheap.Results. Return of Ragged{} does nothing.
func (r Ragged) Return() {
	returnSlice(r.Offsets)
	returnSlice(r.Vertices)
	returnSlice(r.Edges)
}

// Return returns the memory of all arrays to offheap.Results. Return of Layers{} does nothing.
func (l Layers) Return() {
	l.Ragged.Return()
	returnSlice(l.Parents)
	returnSlice(l.EndsFrom)
	returnSlice(l.Ends)
	returnSlice(l.LinksFrom)
	returnSlice(l.Sources)
	returnSlice(l.Targets)
	returnSlice(l.LinkEdges)
	returnSlice(l.Values)
}

// returnSlice returns a slice that lend lent.
func returnSlice[T any](s []T) {
	if first := unsafe.SliceData(s); first != nil {
		offheap.Results.Return(uintptr(unsafe.Pointer(first)))
	}
}

// lend returns n uninitialised elements of offheap.Results. An empty slice has an address too, since 0 means that there is no
// array.
func lend[T any](n int) ([]T, error) {
	var z T
	capacity := max(n, 1)
	block, err := offheap.Results.Lend(int64(capacity) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(block), capacity)[:n], nil
}
