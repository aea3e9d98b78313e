package output

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// LendRagged gives a result for so many rows with so many vertices in all, lent from offheap.Results. Nothing in it is
// filled. On an error nothing stays lent.
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

// Join lays results one behind the other, lent from offheap.Results. The parts are returned, on an error too.
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

// Sizes are those of a Layers result.
type Sizes struct {
	Rows, Vertices, Ends, Links int
	Edges, Record               bool // with edges' ids; with links
}

// LendLayers gives a result of these sizes, lent from offheap.Results. Nothing in it is filled. On an error nothing
// stays lent.
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

// LendArena returns the uninitialised arena of a NeighborBatch, n words long. It is lent from offheap.Results.
func LendArena(n int) ([]int64, error) { return lend[int64](n) }

// Return gives the result's memory back.
func (b NeighborBatch) Return() { giveBack(b.Arena) }

// Return gives the result's memory back.
func (r Ragged) Return() {
	giveBack(r.Offsets)
	giveBack(r.Vertices)
	giveBack(r.Edges)
}

// Return gives the result's memory back.
func (l Layers) Return() {
	l.Ragged.Return()
	giveBack(l.Parents)
	giveBack(l.EndsFrom)
	giveBack(l.Ends)
	giveBack(l.LinksFrom)
	giveBack(l.Sources)
	giveBack(l.Targets)
	giveBack(l.LinkEdges)
	giveBack(l.Values)
}

func giveBack[T any](s []T) {
	if first := unsafe.SliceData(s); first != nil {
		offheap.Results.Return(uintptr(unsafe.Pointer(first)))
	}
}

// lend gives n elements. Even none have an address: that of an array that is not there is 0.
func lend[T any](n int) ([]T, error) {
	var z T
	room := max(n, 1)
	block, err := offheap.Results.Lend(int64(room) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(block), room)[:n], nil
}
