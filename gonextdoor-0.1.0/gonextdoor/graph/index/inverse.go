package index

import (
	"cmp"
	"slices"
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// Inverse finds the positions of edges by their ids. An id has no position if its edge was dropped, and two if the graph was
// made symmetric.
type Inverse struct {
	limit     uint64          // all ids are below it
	ids       graph.EdgeOrder // of the edges; not listed if ids are positions
	offsets   []uint64        // by id, into positions; nil if the ids are too sparse
	positions []uint64        // ordered by id, then position
}

// sparseIDs is the largest number of ids per edge for which Inverse stores offsets. Users may choose any ids, such as
// timestamps, for which offsets would not fit in memory; those are found by binary search.
const sparseIDs = 8

var inverseKey = graph.NewKey(Inverse.free)

// InverseOf returns the inverse of Graph.EdgeID. The first call reads all ids, and the result is cached. It takes 8 bytes per
// edge and 8 bytes per id, or nothing if ids are positions.
func InverseOf(g *graph.Graph) (Inverse, error) {
	g = g.Base()
	return inverseKey.Get(g, func() (Inverse, error) {
		return newInverse(graph.EdgeOrder{Narrow: g.EdgeIDs, Wide: g.EdgeIDs64}, g.NumEdges())
	})
}

// newInverse builds the inverse of the ids of a number of edges.
func newInverse(ids graph.EdgeOrder, edges int) (Inverse, error) {
	v := Inverse{limit: uint64(edges), ids: ids}
	if !ids.Listed() {
		return v, nil
	}
	v.limit = 0
	for p := range edges {
		v.limit = max(v.limit, ids.At(p)+1)
	}
	var err error
	if v.positions, err = offheap.Make[uint64](edges); err != nil {
		return Inverse{}, err
	}
	if v.limit > sparseIDs*uint64(edges) {
		v.sort()
		return v, nil
	}
	if v.offsets, err = offheap.Make[uint64](int(v.limit) + 2); err != nil {
		offheap.Free(v.positions)
		return Inverse{}, err
	}
	v.count()
	return v, nil
}

// sort orders the positions by comparing their ids.
func (v *Inverse) sort() {
	for p := range v.positions {
		v.positions[p] = uint64(p)
	}
	slices.SortFunc(v.positions, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(v.ids.At(int(a)), v.ids.At(int(b))), cmp.Compare(a, b))
	})
}

// count orders the positions by a counting sort of their ids, and stores the offsets.
func (v *Inverse) count() {
	for p := range v.positions {
		v.offsets[v.ids.At(p)+2]++
	}
	for id := range v.limit {
		v.offsets[id+2] += v.offsets[id+1]
	}
	for p := range v.positions { // offsets[id+1] is the index of the next position of id, and finally the end of id
		id := v.ids.At(p)
		v.positions[v.offsets[id+1]] = uint64(p)
		v.offsets[id+1]++
	}
}

// IDs returns the upper bound of all edge ids, exclusive.
func (v Inverse) IDs() uint64 { return v.limit }

// Append appends the positions of the edges with an id, which must be below IDs, in ascending order.
func (v Inverse) Append(positions []uint64, id uint64) []uint64 {
	switch {
	case !v.ids.Listed():
		return append(positions, id)
	case v.offsets != nil:
		return append(positions, v.positions[v.offsets[id]:v.offsets[id+1]]...)
	}
	from := func(id uint64) int {
		return sort.Search(len(v.positions), func(i int) bool { return v.ids.At(int(v.positions[i])) >= id })
	}
	return append(positions, v.positions[from(id):from(id+1)]...)
}

// free frees the arrays.
func (v Inverse) free() {
	offheap.Free(v.offsets)
	offheap.Free(v.positions)
}
