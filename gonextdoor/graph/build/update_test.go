package build

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// version is a graph with the list of its arcs, each with its id, from which the definition builds the next version.
type version struct {
	g      *graph.Graph
	arcs   []arc // in the order of the list
	n      int
	nextID int64
}

// fields are the attributes of the edges of a test's graphs.
type fields struct{ weights, labels, times bool }

// of returns the arrays of a list of arcs.
func (f fields) of(t testing.TB, arcs []arc) Edges {
	e := edgesOf(t, arcs, "int32", "int64", "float64")
	if !f.weights {
		e.Weights = graph.Array{}
	}
	if !f.labels {
		e.Labels = graph.Array{}
	}
	if !f.times {
		e.Times = graph.Array{}
	}
	return e
}

// without removes the first arc of each pair from a list, and with symmetric the first reverse.
func without(arcs []arc, pairs []arc, symmetric bool) []arc {
	remove := func(u, v int64) {
		at := slices.IndexFunc(arcs, func(a arc) bool { return a.src == u && a.dst == v })
		arcs = slices.Delete(arcs, at, at+1)
	}
	for _, p := range pairs {
		if remove(p.src, p.dst); symmetric && p.src != p.dst {
			remove(p.dst, p.src)
		}
	}
	return arcs
}

// TestUpdatedEqualsNaive makes sequences of versions and compares each with the rows of the list of its edges.
func TestUpdatedEqualsNaive(t *testing.T) {
	live := offheap.Live()
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 150 {
		f := fields{trial&1 > 0, trial&2 > 0, trial&4 > 0}
		symmetric := trial%3 == 0
		v := version{n: 1 + r.IntN(40)}
		list := randomArcs(r, v.n, r.IntN(200))
		e := f.of(t, list)
		e.NumVertices, e.Symmetric = v.n, symmetric
		var err error
		if v.g, err = FromEdges(e); err != nil {
			t.Fatal(err)
		}
		v.arcs, v.nextID = mirrored(list, symmetric), int64(len(list))
		if v.nextID > 0 { // ids of a graph without a past follow its largest one
			v.nextID = 1 + slices.MaxFunc(list, func(a, b arc) int { return int(a.id - b.id) }).id
		}
		for range 4 {
			v.update(t, r, f, symmetric, trial%4 == 1)
		}
		v.g.Close()
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

// mirrored adds the reverse of each arc after it.
func mirrored(list []arc, symmetric bool) (out []arc) {
	for _, a := range list {
		out = append(out, a)
		if symmetric && a.src != a.dst {
			a.src, a.dst = a.dst, a.src
			out = append(out, a)
		}
	}
	return out
}

// update replaces the version by the next one, made by Updated, after a comparison with the naive builder.
func (v *version) update(t *testing.T, r *rand.Rand, f fields, symmetric, byID bool) {
	n := v.n + r.IntN(3)
	add := randomArcs(r, n, r.IntN(40))
	u := Update{Graph: v.g, Add: f.of(t, add), Symmetric: symmetric, Threads: 1 + r.IntN(3)}
	u.Add.Symmetric = symmetric
	// 1. Remove some edges from the list.
	arcs := slices.Clone(v.arcs)
	var pairs []arc
	var ids []int64
	for range r.IntN(1 + len(arcs)/2) {
		a := arcs[r.IntN(len(arcs))]
		if byID {
			ids = append(ids, a.id)
			arcs = slices.DeleteFunc(arcs, func(b arc) bool { return b.id == a.id })
		} else {
			pairs = append(pairs, a)
			arcs = without(arcs, []arc{a}, symmetric)
		}
		if len(arcs) == 0 {
			break
		}
	}
	if byID {
		u.RemoveIDs = graph.ArrayOf(ids)
	} else if pairs != nil {
		removed := fields{}.of(t, pairs)
		u.RemoveSources, u.RemoveTargets = removed.Sources, removed.Targets
	}
	if since := int64(r.IntN(60)); f.times && r.IntN(2) == 0 {
		u.Since = &since
		arcs = slices.DeleteFunc(arcs, func(a arc) bool { return a.time < since })
	}
	// 2. Add those with the next ids.
	for i := range add {
		add[i].id = v.nextID + int64(i)
		n = max(n, int(max(add[i].src, add[i].dst))+1)
	}
	u.NumVertices = n
	arcs = append(arcs, mirrored(add, symmetric)...)
	// 3. Compare.
	to, err := Updated(u)
	if err != nil {
		t.Fatal(err)
	}
	want := naive(arcs, false, false, false)
	same(t, to, n, want, f.weights, f.labels, f.times)
	if to.NextID != uint64(v.nextID)+uint64(len(add)) {
		t.Fatalf("the next id is %d, expected %d", to.NextID, v.nextID+int64(len(add)))
	}
	v.checkChanged(t, to)
	v.g.Close()
	v.g, v.arcs, v.n, v.nextID = to, arcs, n, int64(to.NextID)
}

// checkChanged fails if a row that differs is not marked.
func (v *version) checkChanged(t *testing.T, to *graph.Graph) {
	for u := range uint32(to.NumVertices()) {
		if bitmap(to.Changed).has(uint64(u)) {
			continue
		}
		if int(u) >= v.n {
			if to.Degree(u) > 0 {
				t.Fatalf("row %d is new and not marked", u)
			}
			continue
		}
		if !slices.Equal(v.g.Neighbors(u), to.Neighbors(u)) || v.g.Weighted() && v.g.Scales[u] != to.Scales[u] {
			t.Fatalf("row %d changed and is not marked", u)
		}
	}
}

// TestUpdatedWeightsEqualThoseOfFromEdges compares biases and scales in rows whose unit changes, bit by bit.
func TestUpdatedWeightsEqualThoseOfFromEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	weight := func() float64 {
		if r.IntN(4) == 0 {
			return 0
		}
		return math.Ldexp(r.Float64(), r.IntN(90)-45)
	}
	for trial := range 200 {
		n := 1 + r.IntN(12)
		list := randomArcs(r, n, 1+r.IntN(60))
		for i := range list {
			list[i].weight = weight()
		}
		f := fields{weights: true}
		g, err := FromEdges(f.of(t, list))
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, id := range r.Perm(len(list))[:r.IntN(len(list))] {
			ids = append(ids, int64(id))
		}
		add := randomArcs(r, n, r.IntN(10))
		for i := range add {
			if add[i].weight = weight(); trial%9 == 0 {
				add[i].weight = math.MaxFloat64 / 64
			}
		}
		to, err := Updated(Update{Graph: g, Add: f.of(t, add), RemoveIDs: graph.ArrayOf(ids)})
		if err != nil {
			t.Fatal(err)
		}
		kept := remaining(g, ids)
		e := f.of(t, append(kept, add...))
		e.NumVertices = to.NumVertices()
		want, err := FromEdges(e)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(to.Indices, want.Indices) || !slices.Equal(to.Biases, want.Biases) || !slices.Equal(to.Scales, want.Scales) {
			t.Fatalf("trial %d: %v %v, expected %v %v", trial, to.Biases, to.Scales, want.Biases, want.Scales)
		}
		for _, x := range []*graph.Graph{g, to, want} {
			x.Close()
		}
	}
}

// remaining lists the edges of a graph without those of some ids, with the weights that the graph has.
func remaining(g *graph.Graph, ids []int64) (kept []arc) {
	for u := range uint32(g.NumVertices()) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			if !slices.Contains(ids, int64(g.EdgeID(p))) {
				kept = append(kept, arc{src: int64(u), dst: int64(g.Indices[p]), weight: g.Weight(u, p)})
			}
		}
	}
	return kept
}

func TestUpdatedRefuses(t *testing.T) {
	arcs := []arc{{src: 2, dst: 0, time: 5}, {src: 0, dst: 1, time: 6}, {src: 0, dst: 1, time: 7}}
	arcs[0].id, arcs[1].id, arcs[2].id = 0, 1, 2
	plain, timed := fields{}, fields{times: true}
	g, err := FromEdges(plain.of(t, arcs))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	dated, err := FromEdges(timed.of(t, arcs))
	if err != nil {
		t.Fatal(err)
	}
	defer dated.Close()
	pairs := func(ends ...int64) Update {
		var src, dst []int64
		for i := 0; i < len(ends); i += 2 {
			src, dst = append(src, ends[i]), append(dst, ends[i+1])
		}
		return Update{Graph: g, RemoveSources: graph.ArrayOf(src), RemoveTargets: graph.ArrayOf(dst)}
	}
	reversed := pairs(2, 0)
	reversed.Symmetric = true
	since := int64(6)
	live := offheap.Live()
	for want, u := range map[string]Update{
		"remove[1] = 3: the graph has no edge with this id":         {Graph: g, RemoveIDs: graph.ArrayOf([]int32{2, 3})},
		"remove[0] = -1: the graph has no edge with this id":        {Graph: g, RemoveIDs: graph.ArrayOf([]int64{-1})},
		"remove[2] = 1 is the second element with this id":          {Graph: g, RemoveIDs: graph.ArrayOf([]int64{1, 2, 1})},
		"remove[1] = (1, 0): the graph has no such edge":            pairs(0, 1, 1, 0),
		"remove[2] = (0, 1): the graph has no such edge, or fewer":  pairs(0, 1, 0, 1, 0, 1),
		"remove[0] = (9, 0): the graph has no such edge":            pairs(9, 0),
		"not its reverse (symmetric=True)":                          reversed,
		"window = 6, but the edges of the graph have no times":      {Graph: g, Since: &since},
		"times was not given, but the edges of the graph have time": {Graph: dated, Add: plain.of(t, arcs)},
		"times was given, but the edges of the graph have none":     {Graph: g, Add: timed.of(t, arcs)},
		"add[0][0] = 4294967294 is out of range":                    {Graph: g, Add: Edges{Sources: graph.ArrayOf([]int64{graph.MaxVertices}), Targets: graph.ArrayOf([]int64{0})}},
	} {
		to, err := Updated(u)
		if err == nil || !strings.Contains(err.Error(), want) || refuse.KindOf(err) != refuse.KindValue || to != nil {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

// BenchmarkUpdated changes 1 % of the edges of a graph whose edges came in random order. Building anew sorts all of them.
func BenchmarkUpdated(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Seed: 1})
	m := g.NumEdges()
	src, dst := make([]uint32, m), make([]uint32, m)
	r := rand.New(rand.NewPCG(1, 2))
	for u := range uint32(g.NumVertices()) {
		for p := g.Indptr[u]; p < g.Indptr[u+1]; p++ {
			src[p], dst[p] = u, g.Indices[p]
		}
	}
	r.Shuffle(m, func(i, j int) { src[i], src[j], dst[i], dst[j] = src[j], src[i], dst[j], dst[i] })
	built, err := FromEdges(Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: g.NumVertices()})
	if err != nil {
		b.Fatal(err)
	}
	defer built.Close()
	n := m / 200
	add := func(n int) Edges {
		return Edges{Sources: graph.ArrayOf(src[:n]), Targets: graph.ArrayOf(dst[m-n:])} // ends as frequent as in the graph
	}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i * 199)
	}
	for name, u := range map[string]Update{
		"add":          {Add: add(2 * n)},
		"removeIDs":    {Add: add(n), RemoveIDs: graph.ArrayOf(ids)},
		"removeByEnds": {Add: add(n), RemoveSources: graph.ArrayOf(src[:n]), RemoveTargets: graph.ArrayOf(dst[:n])},
	} {
		u.Graph = built
		b.Run(name, func(b *testing.B) {
			before := cpuTime()
			for b.Loop() {
				to, err := Updated(u)
				if err != nil {
					b.Fatal(err)
				}
				to.Close()
			}
			perEdge(b, m, before)
		})
	}
}
