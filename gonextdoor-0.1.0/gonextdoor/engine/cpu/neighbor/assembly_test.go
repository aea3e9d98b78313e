package neighbor

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/rng"
)

// assembled draws a mini-batch whose rows are chosen by ChooseRows, in two pieces per hop.
func assembled(t *testing.T, p *Sampler, m *app.NeighborSampling, seed uint64, s app.SeedNodes) output.NeighborBatch {
	t.Helper()
	a, err := p.Assemble(output.ResultArenas{}, m, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for hop := 0; ; hop++ {
		vertices, _, ok := a.Frontier(0)
		if !ok {
			break
		}
		from, pieces, chosen := make([]uint32, len(vertices)), make([]RowChoice, 2), make([]RowEdges, 2)
		for i, v := range vertices {
			from[i] = v % 2
			piece := &pieces[v%2]
			piece.Rows, piece.Keys = append(piece.Rows, v), append(piece.Keys, app.HopStream(seed, 0, hop).Key(uint64(v)))
		}
		for i := range pieces {
			pieces[i].App, pieces[i].Fanout, pieces[i].Excluded = m, m.Fanouts[hop][0], s.Excluded[0]
			if err := p.ChooseRows(pieces[i], &chosen[i], nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Expand([]FrontierEdges{{chosen, from}}); err != nil {
			t.Fatal(err)
		}
	}
	batch, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func TestAssembledBatchesEqualSampledOnes(t *testing.T) {
	g := graphtest.Thicket(true)
	p, err := NewPartSampler(g, g.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before := offheap.Results.Out()
	for _, layout := range []app.Layout{app.CSC, app.COO} {
		for _, replace := range []bool{false, true} {
			for _, fanout := range []int{-1, 0, 2, 50} {
				for seed := range uint64(20) {
					m := bound(t, g, app.NeighborSampling{Fanouts: each(2, fanout, 3), Replace: replace, Weighted: app.Yes, Layout: layout, Expand: app.ExpandNew})
					s := seedsOf([]uint32{uint32(seed % 3), 4}, []int64{int64(seed % 5), 9})
					got, want := assembled(t, p, m, seed, s), output.NeighborBatch{}
					if want, err = p.Sample(m, seed, s, 1, nil); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Nodes[0], want.Nodes[0]) || !slices.Equal(got.New[0], want.New[0]) {
						t.Fatalf("nodes %v, expected %v", got.Nodes[0], want.Nodes[0])
					}
					if layout == app.COO {
						x, y := got.Pairs[0], want.Pairs[0]
						if !slices.Equal(x.Sources, y.Sources) || !slices.Equal(x.Destinations, y.Destinations) || !slices.Equal(x.EdgeIDs, y.EdgeIDs) {
							t.Fatalf("edges %v, expected %v", x, y)
						}
					} else {
						for h := range want.Hops {
							x, y := got.Hops[h][0], want.Hops[h][0]
							if !slices.Equal(x.Indptr, y.Indptr) || !slices.Equal(x.Indices, y.Indices) || !slices.Equal(x.EdgeIDs, y.EdgeIDs) {
								t.Fatalf("hop %d: %v, expected %v", h, x, y)
							}
						}
					}
					got.Return()
					want.Return()
				}
			}
		}
	}
	if n := offheap.Results.Out(); n != before {
		t.Errorf("%d results are lent, %d were before", n, before)
	}
}

// The frontier is the nodes that take edges, and an assembly that is left returns its memory.
func TestAssemblies(t *testing.T) {
	g := graphtest.Thicket(false)
	p, err := NewPartSampler(g, g.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before := offheap.Results.Out()
	begin := func() *Assembly {
		a, err := p.Assemble(output.ResultArenas{}, &app.NeighborSampling{Fanouts: each(1, 1)}, seedsOf([]uint32{3, 1}, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := begin()
	vertices, trees, ok := a.Frontier(0)
	if !ok || trees != nil || !slices.Equal(vertices, []uint32{3, 1}) {
		t.Errorf("frontier %v", vertices)
	}
	one := []RowEdges{{Counts: []uint32{1, 0}, Ends: []uint32{5}, EdgeIDs: []uint64{7}}}
	if err := a.Expand([]FrontierEdges{{one, []uint32{0, 0}}}); err != nil {
		t.Fatal(err)
	}
	if vertices, _, _ := a.Frontier(0); !slices.Equal(vertices, []uint32{3, 1, 5}) {
		t.Errorf("frontier %v of the second hop", vertices)
	}
	if _, err := a.Finish(); err == nil || !strings.Contains(err.Error(), "has 1 of 2 hops") {
		t.Errorf("error %v", err)
	}
	if _, _, ok := a.Frontier(0); ok {
		t.Error("a discarded batch has a frontier")
	}
	if err := a.Expand([]FrontierEdges{{one, []uint32{0}}}); err == nil || !strings.Contains(err.Error(), "is complete or was discarded") {
		t.Errorf("error %v", err)
	}
	a = begin()
	a.Discard()
	a.Discard()
	if n := offheap.Results.Out(); n != before {
		t.Errorf("%d results are lent, %d were before", n, before)
	}
}

// Ids are excluded in every row, and an answer has nothing of the one before.
func TestRowsWithoutEdges(t *testing.T) {
	g := graphtest.Thicket(false)
	p, err := NewPartSampler(g, g.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q := RowChoice{App: &app.NeighborSampling{Weighted: app.No}, Fanout: -1}
	for v := range uint32(g.NumVertices()) {
		q.Rows, q.Keys = append(q.Rows, v, v), append(q.Keys, 1, 2)
	}
	var out RowEdges
	if err := p.ChooseRows(q, &out, nil); err != nil || len(out.Ends) != 2*g.NumEdges() {
		t.Fatalf("%d edges of %d, %v", len(out.Ends), 2*g.NumEdges(), err)
	}
	for p := range uint64(g.NumEdges()) {
		q.Excluded = append(q.Excluded, int64(g.EdgeID(p)))
	}
	none := func(fanout int) {
		q.Fanout = fanout
		if err := p.ChooseRows(q, &out, nil); err != nil || len(out.Ends) != 0 || len(out.EdgeIDs) != 0 || slices.Max(out.Counts) != 0 {
			t.Errorf("%v edges of each row, %v: expected none", out.Counts, err)
		}
	}
	none(-1)
	none(3)
	q.Excluded = nil
	if err := p.ChooseRows(q, &out, nil); err != nil || len(out.Ends) == 0 {
		t.Fatalf("%d edges, %v", len(out.Ends), err)
	}
	none(0)
}

// Times of rows are looked up per row, so a row may be asked for at several times.
func TestRowsAtSeveralTimes(t *testing.T) {
	g := graphtest.Full(t, false)
	defer g.Close()
	p, err := NewPartSampler(g, g.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	v := uint32(0)
	for g.Degree(v) < 2 {
		v++
	}
	first, end := g.Row(v)
	latest, count := slices.Max(g.Times[first:end]), 0
	for _, at := range g.Times[first:end] {
		if at == latest {
			count++
		}
	}
	q := RowChoice{
		App: &app.NeighborSampling{Temporal: app.TemporalUniform, Disjoint: true, Weighted: app.No}, Fanout: -1, Rows: []uint32{v, v, v, v},
		Keys: make([]rng.Key, 4), Times: []int64{latest, latest - 1, latest, latest}, Windows: []int64{1 << 40, 1 << 40, 0, 1 << 40},
	}
	var out RowEdges
	if err := p.ChooseRows(q, &out, nil); err != nil {
		t.Fatal(err)
	}
	all := uint32(end - first)
	if want := []uint32{all, all - uint32(count), uint32(count), all}; !slices.Equal(out.Counts, want) {
		t.Errorf("%v edges, expected %v", out.Counts, want)
	}
}
