package graph

import (
	"sync"

	"gonextdoor/gonextdoor/offheap"
)

// Inverse finds the positions of edges by their ids. An id has none where its edge was dropped, and two where the graph
// was made symmetric.
type Inverse struct {
	ids       uint64   // all ids are below
	offsets   []uint64 // per id, into positions; nil where the ids are the positions themselves
	positions []uint64 // ordered by id
}

type inverse struct {
	once sync.Once
	err  error
	made Inverse
}

// Inverse gives the inverse of EdgeID. It is made at the first call, which reads all ids, and kept.
func (g *Graph) Inverse() (Inverse, error) {
	t := &g.tables.inverse
	t.once.Do(func() { t.made, t.err = newInverse(places{narrow: g.EdgeIDs, wide: g.EdgeIDs64}, g.NumEdges()) })
	return t.made, t.err
}

// newInverse sorts the positions by id, counting.
func newInverse(ids places, edges int) (Inverse, error) {
	v := Inverse{ids: uint64(edges)}
	if !ids.listed() {
		return v, nil
	}
	v.ids = 0
	for p := range edges {
		v.ids = max(v.ids, ids.of(p)+1)
	}
	var err error
	if v.offsets, err = offheap.Make[uint64](int(v.ids) + 2); err != nil {
		return Inverse{}, err
	}
	if v.positions, err = offheap.Make[uint64](edges); err != nil {
		offheap.Free(v.offsets)
		return Inverse{}, err
	}
	for p := range edges {
		v.offsets[ids.of(p)+2]++
	}
	for id := range v.ids {
		v.offsets[id+2] += v.offsets[id+1]
	}
	for p := range edges { // offsets[id+1] is where the next of id goes; at the end, where id's end
		id := ids.of(p)
		v.positions[v.offsets[id+1]] = uint64(p)
		v.offsets[id+1]++
	}
	return v, nil
}

// IDs gives the number that all edge ids are below.
func (v Inverse) IDs() uint64 { return v.ids }

// Append appends the positions of the edge with an id below IDs, in order.
func (v Inverse) Append(positions []uint64, id uint64) []uint64 {
	if v.offsets == nil {
		return append(positions, id)
	}
	return append(positions, v.positions[v.offsets[id]:v.offsets[id+1]]...)
}

func (t *inverse) free() {
	offheap.Free(t.made.offsets)
	offheap.Free(t.made.positions)
	t.made = Inverse{}
}
