package graph

import "gonextdoor/gonextdoor/offheap"

// places say for a run of edges where each lies in the caller's arrays: one behind the other from first on, or as listed
// in 32 or 64 bits.
type EdgeOrder struct {
	First  int
	Narrow []uint32
	Wide   []uint64
}

// of gives the place of the run's edge i.
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

// from gives the places from edge i on.
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

// listed says whether the places are not simply one behind the other.
func (p EdgeOrder) Listed() bool { return p.Narrow != nil || p.Wide != nil }

// inOrder says whether n places are 0, 1, 2, ...
func (p EdgeOrder) InOrder(n int) bool {
	for i := range n {
		if p.At(i) != uint64(i) {
			return false
		}
	}
	return true
}

func (p EdgeOrder) Free() {
	offheap.Free(p.Narrow)
	offheap.Free(p.Wide)
}

// makePlaces makes a list for n edges whose places are below end.
func MakeEdgeOrder(n, end int) (p EdgeOrder, err error) {
	if end <= 1<<32 {
		p.Narrow, err = offheap.Make[uint32](n)
	} else {
		p.Wide, err = offheap.Make[uint64](n)
	}
	return p, err
}

// set notes the place of the run's edge i.
func (p EdgeOrder) Set(i int, place uint64) {
	if p.Narrow != nil {
		p.Narrow[i] = uint32(place)
	} else {
		p.Wide[i] = place
	}
}
