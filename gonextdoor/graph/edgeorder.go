package graph

import "gonextdoor/gonextdoor/offheap"

// places say for a run of edges where each lies in the caller's arrays: one behind the other from first on, or as listed
// in 32 or 64 bits.
type places struct {
	first  int
	narrow []uint32
	wide   []uint64
}

// of gives the place of the run's edge i.
func (p places) of(i int) uint64 {
	switch {
	case p.narrow != nil:
		return uint64(p.narrow[i])
	case p.wide != nil:
		return p.wide[i]
	default:
		return uint64(p.first + i)
	}
}

// from gives the places from edge i on.
func (p places) from(i int) places {
	switch {
	case p.narrow != nil:
		return places{narrow: p.narrow[i:]}
	case p.wide != nil:
		return places{wide: p.wide[i:]}
	default:
		return places{first: p.first + i}
	}
}

// listed says whether the places are not simply one behind the other.
func (p places) listed() bool { return p.narrow != nil || p.wide != nil }

// inOrder says whether n places are 0, 1, 2, ...
func (p places) inOrder(n int) bool {
	for i := range n {
		if p.of(i) != uint64(i) {
			return false
		}
	}
	return true
}

func (p places) free() {
	offheap.Free(p.narrow)
	offheap.Free(p.wide)
}

// makePlaces makes a list for n edges whose places are below end.
func makePlaces(n, end int) (p places, err error) {
	if end <= 1<<32 {
		p.narrow, err = offheap.Make[uint32](n)
	} else {
		p.wide, err = offheap.Make[uint64](n)
	}
	return p, err
}

// set notes the place of the run's edge i.
func (p places) set(i int, place uint64) {
	if p.narrow != nil {
		p.narrow[i] = uint32(place)
	} else {
		p.wide[i] = place
	}
}
