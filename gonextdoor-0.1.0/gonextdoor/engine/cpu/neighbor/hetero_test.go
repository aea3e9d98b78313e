package neighbor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// twoTypes returns a graph with two types and a relation for each ordered pair of them. The edges of one relation have times,
// and so do the vertices of the second type.
func twoTypes(weighted bool) *graph.Hetero {
	big, small := cputest.Random(700, 9000, weighted), cputest.Random(300, 5000, weighted)
	wide := func(seed uint64, rows, ends int) *graph.Graph {
		list := make([]graphtest.Edge, 4000)
		for i := range list {
			u, _ := rng.Below(rng.Key(seed).Word(uint64(2*i)), uint64(rows))
			v, _ := rng.Below(rng.Key(seed).Word(uint64(2*i+1)), uint64(ends))
			list[i] = graphtest.Edge{From: uint32(u * u / uint64(rows)), To: uint32(v), Bias: uint32(v % 4)}
		}
		return graphtest.Make(max(rows, ends), weighted, list)
	}
	for p := range big.NumEdges() {
		big.Times = append(big.Times, int64(rng.Key(1).Word(uint64(p))%50))
	}
	times := make([]int64, 300)
	for v := range times {
		times[v] = int64(rng.Key(2).Word(uint64(v))%90) - 20
	}
	return &graph.Hetero{Times: [][]int64{nil, times}, Counts: []int{700, 300}, Types: []string{"a", "b"}, Relations: []graph.Relation{
		{Graph: big, Name: "aa"}, {Graph: wide(1, 700, 300), Source: 1, Name: "ba"},
		{Graph: wide(2, 300, 700), Destination: 1, Name: "ab"}, {Graph: small, Destination: 1, Source: 1, Name: "bb"},
	}}
}

func someSeeds(h *graph.Hetero, n int, twice bool) (s app.SeedNodes) {
	for t, count := range h.Counts {
		var batch []uint32
		for i := range min(n, count) {
			batch = append(batch, uint32((i*37+t)%count))
		}
		if twice && len(batch) > 1 {
			batch[0] = batch[len(batch)-1]
		}
		s.Vertices = append(s.Vertices, batch)
	}
	return s
}

// sameBatch fails the test unless two mini-batches are equal.
func sameBatch(t *testing.T, got, want output.NeighborBatch) {
	t.Helper()
	same := func(what string, got, want []int64) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", what, head(got), head(want))
		}
	}
	for i := range want.Nodes {
		same("nodes", got.Nodes[i], want.Nodes[i])
		if !slices.Equal(got.New[i], want.New[i]) {
			t.Fatalf("new nodes %v, want %v", got.New, want.New)
		}
		if want.Trees != nil {
			same("trees", got.Trees[i], want.Trees[i])
		}
	}
	if len(got.Hops) != len(want.Hops) || len(got.Pairs) != len(want.Pairs) {
		t.Fatalf("%d hops and %d pairs, want %d and %d", len(got.Hops), len(got.Pairs), len(want.Hops), len(want.Pairs))
	}
	for i, hop := range want.Hops {
		for r, w := range hop {
			g := got.Hops[i][r]
			if g.First != w.First || g.Destinations != w.Destinations {
				t.Fatalf("hop %d: %d destinations from %d, want %d from %d", i, g.Destinations, g.First, w.Destinations, w.First)
			}
			same("indptr", g.Indptr, w.Indptr)
			same("indices", g.Indices, w.Indices)
			same("edge ids", g.EdgeIDs, w.EdgeIDs)
		}
	}
	for r, w := range want.Pairs {
		g := got.Pairs[r]
		same("sources", g.Sources, w.Sources)
		same("destinations", g.Destinations, w.Destinations)
		same("edge ids", g.EdgeIDs, w.EdgeIDs)
		if !slices.Equal(g.Counts, w.Counts) {
			t.Fatalf("counts %v, want %v", g.Counts, w.Counts)
		}
	}
}

func head(s []int64) []int64 { return s[:min(len(s), 20)] }

// Batches equal the definition for every combination of layout, expansion, disjointness, replacement, temporal choice and
// exclusion, on graphs of one type and of two.
func TestBatchesOfAllKindsEqualDefinition(t *testing.T) {
	cputest.NoLeak(t)
	for _, weighted := range []bool{false, true} {
		two := twoTypes(weighted)
		for name, h := range map[string]*graph.Hetero{"one": graph.Homogeneous(two.Relations[0].Graph), "two": two} {
			for _, sparse := range []bool{false, true} {
				p, err := NewSampler(h)
				if err != nil {
					t.Fatal(err)
				}
				p.HashIDs = sparse
				for i, f := range [][]int{{5, 4, 3}, {-1, 2}, {2, 0, 2}, {70, 3}} {
					for kind := range 48 {
						m := &app.NeighborSampling{Replace: kind&1 != 0, Disjoint: kind&2 != 0, Expand: app.ExpandAll, Layout: app.CSC}
						m.Temporal = []app.Temporal{"", app.TemporalUniform, app.TemporalLast}[kind>>4]
						if m.Temporal != "" && !m.Disjoint || m.Temporal == app.TemporalLast && m.Replace {
							continue
						}
						if kind&4 != 0 {
							m.Expand = app.ExpandNew
						}
						if kind&8 != 0 {
							m.Layout = app.COO
						}
						for hop, k := range f {
							var fanouts []int
							for r := range h.Relations {
								fanouts = append(fanouts, []int{k, k, max(k-1, -1), 1}[(r+hop)%4])
							}
							m.Fanouts = append(m.Fanouts, fanouts)
						}
						if err := errors.Join(m.Bind(h), m.BuildTables(h, graph.Options{})); err != nil {
							t.Fatal(err)
						}
						for _, n := range []int{20, 0} {
							s := someSeeds(h, n, m.Disjoint)
							for i := range s.Count() {
								if m.Temporal != "" {
									s.Times = append(s.Times, int64(i*7%60))
								}
							}
							if kind%3 == 0 {
								for _, r := range h.Relations {
									var ids []int64
									for id := int64(i); id < int64(r.Graph.NumEdges()); id += 3 {
										ids = append(ids, id)
									}
									s.Excluded = append(s.Excluded, ids)
								}
							}
							t.Run(fmt.Sprintf("%s/weighted=%v/sparse=%v/%+v/%d", name, weighted, sparse, *m, n), func(t *testing.T) {
								want, err := serial.Batches{Graph: h}.Sample(m, uint64(kind), s, 1, nil)
								if err != nil {
									t.Fatal(err)
								}
								defer want.Return()
								got, err := p.Sample(m, uint64(kind), s, 1, nil)
								if err != nil {
									t.Fatal(err)
								}
								defer got.Return()
								sameBatch(t, got, want)
							})
						}
					}
				}
				p.Close()
			}
		}
		for _, r := range two.Relations {
			r.Graph.Close()
		}
	}
}

// Fan-outs whose product overflows 64 bits are refused before an edge is chosen, and their capacity estimates saturate.
func TestBatchesRefuseWhatNoMemoryHas(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	const most = 1 << 28
	for _, layout := range []app.Layout{app.CSC, app.COO} {
		p, err := NewSampler(graph.Homogeneous(g))
		if err != nil {
			t.Fatal(err)
		}
		m := bound(t, g, app.NeighborSampling{Fanouts: each(most, most, most, most), Replace: true, Layout: layout})
		if _, err := p.Sample(m, 1, seedsOf(batchOf(g), nil), 1, nil); refuse.KindOf(err) != refuse.KindMemory {
			t.Errorf("%s: %v", layout, err)
		}
		b := batchBuilder{sampler: p, w: p.borrow(), app: m, layout: layoutOf(m, 1, 1)}
		b.w.nodes[0].Vertices = batchOf(g)
		for i, n := range b.upperBounds() {
			if n < 0 || n > 2*maxCapacity {
				t.Errorf("%s: list %d is bounded by %d", layout, i, n)
			}
		}
		p.giveBack(b.w, true)
		equalsDefinition(t, g, p, bound(t, g, app.NeighborSampling{Fanouts: each(2, 2, 2, 2)}), 1, batchOf(g), nil)
		p.Close()
	}
}
