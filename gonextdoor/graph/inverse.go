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
	t.once.Do(func() { t.made, t.err = newInverse(g.EdgeIDs, uint64(g.NumEdges())) })
	return t.made, t.err
}

// newInverse sorts the positions by id, counting.
func newInverse(edgeIDs []uint64, edges uint64) (Inverse, error) {
	v := Inverse{ids: edges}
	if edgeIDs == nil {
		return v, nil
	}
	v.ids = 0
	for _, id := range edgeIDs {
		v.ids = max(v.ids, id+1)
	}
	var err error
	if v.offsets, err = offheap.Make[uint64](int(v.ids) + 2); err != nil {
		return Inverse{}, err
	}
	if v.positions, err = offheap.Make[uint64](len(edgeIDs)); err != nil {
		offheap.Free(v.offsets)
		return Inverse{}, err
	}
	for _, id := range edgeIDs {
		v.offsets[id+2]++
	}
	for id := range v.ids {
		v.offsets[id+2] += v.offsets[id+1]
	}
	for p, id := range edgeIDs { // offsets[id+1] is where the next of id goes; at the end, where id's end
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
