package index

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// Dense ids are found by offsets and sparse ids by search. Both give the positions that a scan finds.
func TestInverseFindsEveryPosition(t *testing.T) {
	for name, ids := range map[string][]uint64{
		"own places": {0, 1, 2, 3, 4, 5},
		"close":      {3, 1, 1, 7, 0, 3},
		"far apart":  {1 << 40, 5, 1 << 62, 5, 1 << 40, 0},
	} {
		list := graph.EdgeOrder{Wide: ids}
		if name == "own places" {
			list = graph.EdgeOrder{}
		}
		live := offheap.Live()
		v, err := newInverse(list, len(ids))
		if err != nil {
			t.Fatal(name, err)
		}
		if most := slices.Max(ids); v.IDs() != most+1 {
			t.Errorf("%s: ids below %d, expected %d", name, v.IDs(), most+1)
		}
		for _, id := range append([]uint64{2, 4, 6}, ids...) {
			if id >= v.IDs() {
				continue
			}
			var want []uint64
			for p, one := range ids {
				if one == id {
					want = append(want, uint64(p))
				}
			}
			if got := v.Append(nil, id); !slices.Equal(got, want) {
				t.Errorf("%s: id %d is at %v, expected %v", name, id, got, want)
			}
		}
		v.free()
		if offheap.Live() != live {
			t.Errorf("%s: %d arrays are left", name, offheap.Live()-live)
		}
	}
}
