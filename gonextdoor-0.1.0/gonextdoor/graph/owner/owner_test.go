package owner

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// check fails the test unless m assigns every vertex of a graph to one part.
func check(t *testing.T, m *Map, vertices int) []int {
	t.Helper()
	counts, err := m.Counts()
	if err != nil {
		t.Fatal(err)
	}
	if m.NumVertices() != vertices {
		t.Errorf("%d vertices, expected %d", m.NumVertices(), vertices)
	}
	seen := make([]bool, vertices)
	for part := range m.Parts() {
		owned := m.Vertices(part)
		if first, end, ok := m.Range(part); ok != (m.Bounds != nil) || ok && (int(end-first) != len(owned) || len(owned) > 0 && owned[0] != first) {
			t.Errorf("part %d is the range %d ... %d: %t", part, first, end, ok)
		}
		if len(owned) != counts[part] || !slices.IsSorted(owned) {
			t.Errorf("part %d: %v, expected %d ascending vertices", part, owned, counts[part])
		}
		for _, v := range owned {
			if seen[v] || m.Owner(v) != part {
				t.Errorf("vertex %d is in part %d, and the owner is %d", v, part, m.Owner(v))
			}
			seen[v] = true
		}
	}
	if slices.Contains(seen, false) {
		t.Error("a vertex has no part")
	}
	return counts
}

func TestEveryVertexHasOneOwner(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 9, EdgeFactor: 8, Seed: 3})
	n := g.NumVertices()
	for _, parts := range []int{1, 2, 3, 5, 256, 257, 1000} {
		check(t, Ranges(g, parts), n)
		check(t, Hash(n, parts), n)
	}
	for _, c := range check(t, Hash(n, 4), n) {
		if c < n/4-40 || c > n/4+40 {
			t.Errorf("a part has %d of %d vertices", c, n)
		}
	}
}

// Known values: other programs compute the hash too.
func TestHashIsStable(t *testing.T) {
	var got []int
	for v := range uint32(8) {
		got = append(got, HashOf(v, 5))
	}
	if want := []int{4, 2, 0, 4, 0, 1, 0, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

func TestWrongOwnerIsReported(t *testing.T) {
	m := NewMap(3, 2)
	m.Set(1, 2)
	if _, err := m.Counts(); err == nil || !strings.Contains(err.Error(), "owner[1] = 2: expected a part below 2") {
		t.Error(err)
	}
	for _, parts := range []int{-1, 0, MaxParts + 1} {
		if CheckParts(parts) == nil {
			t.Errorf("%d parts", parts)
		}
	}
}

// Hot agrees with sorting all vertices by degree.
func TestHot(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 6, Seed: 5})
	order := make([]uint32, g.NumVertices())
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(u, v uint32) int { return int(g.Degree(v)) - int(g.Degree(u)) })
	for _, share := range []float64{0, .01, .1, .3, .5, .9, 1} {
		left := uint64(share * float64(g.NumEdges()))
		want := []uint32{}
		for _, v := range order {
			if d := g.Degree(v); d > 0 && d <= left {
				left -= d
				want = append(want, v)
			} else {
				break
			}
		}
		slices.Sort(want)
		if got, err := Hot(g, share); err != nil || !slices.Equal(got, want) {
			t.Errorf("share %v: %v, expected %v: %v", share, got, want, err)
		}
	}
	for _, share := range []float64{-.1, 1.1} {
		if _, err := Hot(g, share); err == nil {
			t.Errorf("share %v was accepted", share)
		}
	}
	none, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf([]int32{}), Targets: graph.ArrayOf([]int32{}), NumVertices: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if hot, err := Hot(none, 1); err != nil || len(hot) > 0 {
		t.Errorf("%v %v", hot, err)
	}
}

// Ranges and hot vertices from degrees are those from the graph.
func TestDegreesSuffice(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 8, EdgeFactor: 3, Seed: 2})
	degrees := make([]uint32, g.NumVertices())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(uint32(v)))
	}
	for _, parts := range []int{1, 2, 3, 7, 400} {
		if got, want := RangesOf(degrees, parts), Ranges(g, parts); !reflect.DeepEqual(got, want) {
			t.Errorf("%d parts: %v, expected %v", parts, got.Bounds, want.Bounds)
		}
	}
	for _, share := range []float64{0, .2, 1} {
		got, err := HotOf(degrees, share)
		want, _ := Hot(g, share)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, expected %v: %v", got, want, err)
		}
	}
	if none := RangesOf(nil, 3); !reflect.DeepEqual(none.Bounds, []uint32{0, 0, 0, 0}) {
		t.Errorf("%v", none.Bounds)
	}
}
