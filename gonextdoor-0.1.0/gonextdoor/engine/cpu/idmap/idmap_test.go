package idmap

import "testing"

// A Map returns the ids of a Go map, after Resets to a larger and to a smaller capacity.
func TestMapNumbersInOrderOfAppearance(t *testing.T) {
	var m Map
	for round, n := range []int{100, 1, 6000, 0, 64} {
		_, ends, _ := edges(n, uint64(round))
		m.Reset(uint64(n))
		ids := map[uint32]uint32{}
		for _, v := range ends {
			want, known := ids[v]
			if !known {
				want = uint32(len(ids))
				ids[v] = want
			}
			if id, fresh := m.Add(v); id != want || fresh == known {
				t.Fatalf("%d vertices: vertex %d has id %d, new %v; expected %d, %v", n, v, id, fresh, want, !known)
			}
		}
		if int(m.Count) != len(ids) {
			t.Errorf("%d vertices: %d ids, expected %d", n, m.Count, len(ids))
		}
		for v := range uint32(testVertices) {
			want := int32(-1)
			if id, known := ids[v]; known {
				want = int32(id)
			}
			if got := m.Find(v); got != want {
				t.Fatalf("%d vertices: vertex %d is found as %d, expected %d", n, v, got, want)
			}
		}
	}
}
