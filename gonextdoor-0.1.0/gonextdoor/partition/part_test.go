package partition_test

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/partition"
)

// byMap are owners without ranges.
type byMap struct {
	parts int
	of    []int
}

func (m byMap) Parts() int                                { return m.parts }
func (m byMap) Owner(v uint32) int                        { return m.of[v] }
func (m byMap) Range(int) (first, end uint32, whole bool) { return 0, 0, false }

// byRange are owners of ranges with equal numbers of vertices.
type byRange struct{ parts, n int }

func (r byRange) Parts() int         { return r.parts }
func (r byRange) Owner(v uint32) int { return int(v) * r.parts / r.n }
func (r byRange) Range(part int) (first, end uint32, whole bool) {
	bound := func(k int) uint32 { return uint32((k*r.n + r.parts - 1) / r.parts) }
	return bound(part), bound(part + 1), true
}

// ownersOf returns owners of a graph by every kind of assignment.
func ownersOf(n, parts int) map[string]partition.Owners {
	hash := byMap{parts: parts}
	for v := range n {
		hash.of = append(hash.of, int(uint32(v)*2654435761>>16)%parts)
	}
	return map[string]partition.Owners{"ranges": byRange{parts, n}, "hash": hash}
}

// hotOf returns the vertices with the most edges.
func hotOf(g *graph.Graph, count int) (hot []uint32) {
	for v := range uint32(g.NumVertices()) {
		hot = append(hot, v)
	}
	slices.SortFunc(hot, func(u, v uint32) int { return int(g.Degree(v)) - int(g.Degree(u)) })
	hot = hot[:min(count, len(hot))]
	slices.Sort(hot)
	return hot
}

// split splits a graph and closes the parts at the end of the test.
func split(t testing.TB, g *graph.Graph, owners partition.Owners, hot []uint32) []*partition.Part {
	t.Helper()
	parts, err := partition.Split(g, owners, hot, graph.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range parts {
			p.Close()
		}
	})
	return parts
}

// checkRow compares a row of a part with that of the graph.
func checkRow(t *testing.T, g *graph.Graph, v uint32, rows *graph.Graph, row uint32) {
	t.Helper()
	if !slices.Equal(rows.Neighbors(row), g.Neighbors(v)) {
		t.Fatalf("vertex %d: neighbours %v, expected %v", v, rows.Neighbors(row), g.Neighbors(v))
	}
	first, end := g.Row(v)
	at, _ := rows.Row(row)
	for p := first; p < end; p, at = p+1, at+1 {
		if rows.EdgeID(at) != g.EdgeID(p) || rows.Weight(row, at) != g.Weight(v, p) {
			t.Fatalf("vertex %d: another id or weight of edge %d", v, p)
		}
		if g.Labels != nil && rows.Labels[at] != g.Labels[p] || g.Times != nil && rows.Times[at] != g.Times[p] {
			t.Fatalf("vertex %d: another label or time of edge %d", v, p)
		}
	}
}

func TestPartsHaveTheRowsOfTheGraph(t *testing.T) {
	full, wide := graphtest.Full(t, false), graphtest.Full(t, true)
	defer full.Close()
	defer wide.Close()
	for name, g := range map[string]*graph.Graph{
		"thicket": graphtest.Thicket(true), "diamond": graphtest.Diamond(false), "full": full, "wide": wide, "lonely": graphtest.Lonely(true),
		"long": graphtest.Star(2000, true),
	} {
		for _, count := range []int{1, 2, 3, 5, 300} {
			for kind, owners := range ownersOf(g.NumVertices(), count) {
				for _, hot := range [][]uint32{nil, hotOf(g, 3)} {
					parts := split(t, g, owners, hot)
					owned := 0
					for k, p := range parts {
						if p.Graph().MaxDegree() != g.MaxDegree() || p.Graph().HasSinks() != g.HasSinks() || p.Graph().Weighted() != g.Weighted() {
							t.Fatalf("%s, %s: part %d of %d has other properties than the graph", name, kind, k, count)
						}
						if err := p.LoadDegrees(); err != nil {
							t.Fatal(err)
						}
						p.EachOwned(func(row int, v uint32) {
							owned++
							checkRow(t, g, v, p.Graph(), uint32(row))
						})
						for v := range uint32(g.NumVertices()) {
							rows, row, ok := p.Local(v)
							own := owners.Owner(v) == k
							if ok != (own || slices.Contains(hot, v)) || own != (rows == p.Graph() && ok) {
								t.Fatalf("%s, %s: Local(%d) is wrong in part %d of %d", name, kind, v, k, count)
							}
							if ok {
								checkRow(t, g, v, rows, row)
							}
							if p.Degree(v) != g.Degree(v) || p.Owner(v) != owners.Owner(v) {
								t.Fatalf("vertex %d: another degree or owner", v)
							}
						}
					}
					if owned != g.NumVertices() {
						t.Fatalf("%s, %s: %d parts own %d of %d vertices", name, kind, count, owned, g.NumVertices())
					}
				}
			}
		}
	}
}

func TestPartsFreeTheirRows(t *testing.T) {
	g := graphtest.Thicket(true)
	before := offheap.Live()
	for closing := range 3 {
		parts, err := partition.Split(g, byRange{3, g.NumVertices()}, []uint32{0, 3}, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range parts {
			p := parts[(k+closing)%3]
			if offheap.Live() == before {
				t.Error("rows were freed before the last part was closed")
			}
			p.Close()
			p.Close()
		}
		if live := offheap.Live(); live != before {
			t.Errorf("%d arrays are left", live-before)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	g := graphtest.Thicket(false)
	n := g.NumVertices()
	before := offheap.Live()
	for want, given := range map[string]struct {
		owners partition.Owners
		hot    []uint32
	}{
		"owner[4] = 2: expected a part from 0 to 1":                  {byMap{2, []int{0, 1, 0, 1, 2, 0}}, nil},
		"owner[1] = -1: expected a part from 0 to 1":                 {byMap{2, []int{0, -1, 0, 1, 1, 0}}, nil},
		"hot[1] = 2: expected ascending vertices below 6":            {byRange{2, n}, []uint32{2, 2}},
		"hot[0] = 6: expected ascending vertices below 6":            {byRange{2, n}, []uint32{6}},
		"part 0 has 6 rows: expected 3, the number of vertices that": {lying{byRange{2, n}}, nil},
	} {
		parts, err := partition.Split(g, given.owners, given.hot, graph.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || parts != nil {
			t.Errorf("error %v: expected %q", err, want)
		}
	}
	if live := offheap.Live(); live != before {
		t.Errorf("%d arrays are left", live-before)
	}
}

// lying are owners whose ranges contradict Owner.
type lying struct{ byRange }

func (lying) Owner(uint32) int { return 0 }

func TestNewPartRefuses(t *testing.T) {
	g := graphtest.Thicket(false)
	p := split(t, g, byRange{1, g.NumVertices()}, []uint32{1, 3})[0]
	for want, hot := range map[string][]uint32{
		"hot: 2 rows for 1 vertices":                    {3},
		"hot: vertex 1 after a larger one or above 5":   {3, 1},
		"hot: vertex 600 after a larger one or above 5": {3, 600},
	} {
		layout := *p.Layout
		layout.Hot = hot
		if _, err := partition.NewPart(&layout, 0, p.Graph(), p.Hot()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: expected %q", err, want)
		}
	}
}
