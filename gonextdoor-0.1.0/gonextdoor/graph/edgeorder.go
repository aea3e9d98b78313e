package graph

import "gonextdoor/gonextdoor/offheap"

// EdgeOrder maps each edge of a run to its index in the arrays of the caller: consecutive indices from First on, or a list
// in 32 or 64 bits. At most one of Narrow and Wide is not nil.
type EdgeOrder struct {
	First  int
	Narrow []uint32
	Wide   []uint64
}

// At returns the index of edge i of the run.
func (p EdgeOrder) At(i int) uint64 {
	switch {
	case p.Narrow != nil:
		return uint64(p.Narrow[i])
	case p.Wide != nil:
		return p.Wide[i]
	default:
		return uint64(p.First + i)
	}
}

// From returns the order of the edges from i on.
func (p EdgeOrder) From(i int) EdgeOrder {
	switch {
	case p.Narrow != nil:
		return EdgeOrder{Narrow: p.Narrow[i:]}
	case p.Wide != nil:
		return EdgeOrder{Wide: p.Wide[i:]}
	default:
		return EdgeOrder{First: p.First + i}
	}
}

// Listed reports whether the indices are stored as a list.
func (p EdgeOrder) Listed() bool { return p.Narrow != nil || p.Wide != nil }

// InOrder reports whether the first n indices are 0, 1, 2, ...
func (p EdgeOrder) InOrder(n int) bool {
	for i := range n {
		if p.At(i) != uint64(i) {
			return false
		}
	}
	return true
}

// Free frees the list, if there is one.
func (p EdgeOrder) Free() {
	offheap.Free(p.Narrow)
	offheap.Free(p.Wide)
}

// MakeEdgeOrder allocates a list for n edges whose indices are below end: 32 bits each if they suffice. The caller frees it.
func MakeEdgeOrder(n, end int) (p EdgeOrder, err error) {
	if end <= 1<<32 {
		p.Narrow, err = offheap.Make[uint32](n)
	} else {
		p.Wide, err = offheap.Make[uint64](n)
	}
	return p, err
}

// Set stores the index of edge i of the run.
func (p EdgeOrder) Set(i int, place uint64) {
	if p.Narrow != nil {
		p.Narrow[i] = uint32(place)
	} else {
		p.Wide[i] = place
	}
}
