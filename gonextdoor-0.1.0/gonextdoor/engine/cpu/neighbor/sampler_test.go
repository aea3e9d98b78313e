package neighbor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// samplerOf returns a sampler with or without packed records, and with dense or hashed local ids.
func samplerOf(t testing.TB, g *graph.Graph, packed, dense bool) *Sampler {
	t.Helper()
	p, err := newSampler(graph.Homogeneous(g), packed)
	if err != nil {
		t.Fatal(err)
	}
	p.HashIDs = !dense
	return p
}

func bound(t testing.TB, g *graph.Graph, m app.NeighborSampling) *app.NeighborSampling {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	h := graph.Homogeneous(g)
	if err := errors.Join(m.Bind(h), m.BuildTables(h, graph.Options{})); err != nil {
		t.Fatal(err)
	}
	return &m
}

// each returns the fan-outs of a graph with one relation.
func each(fanouts ...int) (hops [][]int) {
	for _, f := range fanouts {
		hops = append(hops, []int{f})
	}
	return hops
}

// seedsOf returns the seed nodes of a graph with one type, and the ids of excluded edges.
func seedsOf(batch []uint32, ids []int64) app.SeedNodes {
	return app.SeedNodes{Vertices: [][]uint32{batch}, Excluded: [][]int64{ids}}
}

// equalsDefinition fails the test unless a mini-batch equals the definition, and frees it.
func equalsDefinition(t *testing.T, g *graph.Graph, p *Sampler, m *app.NeighborSampling, seed uint64, batch []uint32, ids []int64) {
	t.Helper()
	n := m.Sample(graph.Homogeneous(g), seed, seedsOf(batch, ids))
	got, err := p.Sample(m, seed, seedsOf(batch, ids), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Return()
	equal(t, "nodes", got.Nodes[0], n.Nodes[0])
	if len(got.Hops) != len(n.Hops) || !slices.Equal(got.New[0], n.New[0]) {
		t.Fatalf("%d hops, new nodes %v, want %d and %v", len(got.Hops), got.New, len(n.Hops), n.New)
	}
	for i, hop := range n.Hops {
		h, want := got.Hops[i][0], hop[0]
		if h.Destinations != want.Destinations || h.First != want.First {
			t.Fatalf("hop %d: %d destinations from %d, want %d from %d", i, h.Destinations, h.First, want.Destinations, want.First)
		}
		wantIDs := make([]int64, len(want.Positions))
		for j, at := range want.Positions {
			wantIDs[j] = int64(g.EdgeID(at))
		}
		equal(t, fmt.Sprint("indptr of hop ", i), h.Indptr, want.Indptr)
		equal(t, fmt.Sprint("indices of hop ", i), h.Indices, want.Indices)
		equal(t, fmt.Sprint("ids of hop ", i), h.EdgeIDs, wantIDs)
	}
}

func equal[T int64 | uint32](t *testing.T, what string, got []int64, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != int64(want[i]) {
			t.Fatalf("%s: [%d] = %d, want %d", what, i, got[i], want[i])
		}
	}
}

// batchOf returns every second vertex from the last one down, up to 200.
func batchOf(g *graph.Graph) (batch []uint32) {
	for v := g.NumVertices() - 1; v >= 0 && len(batch) < 200; v -= 2 {
		batch = append(batch, uint32(v))
	}
	if g.NumVertices() > 1000 {
		batch = append(batch, 0)
	}
	return batch
}

var fanouts = [][]int{{1}, {2, 2}, {15, 10, 5}, {64}, {65, 3}, {100, 2}, {-1}, {-1, 2}, {3, -1}}

func TestBatchesEqualDefinition(t *testing.T) {
	cputest.NoLeak(t)
	for _, weighted := range []bool{false, true} {
		for name, g := range cputest.Corpus(weighted) {
			for _, packed := range []bool{false, true} {
				for _, dense := range []bool{false, true} {
					p := samplerOf(t, g, packed, dense)
					for i, f := range fanouts {
						m := bound(t, g, app.NeighborSampling{Fanouts: each(f...), Replace: i%2 == 0 && f[0] > 0})
						t.Run(fmt.Sprintf("%s/%v/%v/packed=%v/dense=%v", name, weighted, f, packed, dense), func(t *testing.T) {
							equalsDefinition(t, g, p, m, uint64(i), batchOf(g), nil)
							m.Replace = !m.Replace
							equalsDefinition(t, g, p, m, uint64(i), batchOf(g), nil)
						})
					}
					p.Close()
				}
			}
			g.Close()
		}
	}
}

func TestBatchesLeaveOutExcluded(t *testing.T) {
	cputest.NoLeak(t)
	for _, weighted := range []bool{false, true} {
		for name, g := range cputest.Corpus(weighted) {
			if name == "random" { // ids that two positions share, as in a graph made symmetric, and ids without an edge
				for i := range g.EdgeIDs {
					g.EdgeIDs[i] = g.EdgeIDs[i] / 2 * 3
				}
			}
			if name == "diamond" {
				g.EdgeIDs = nil
			}
			p := samplerOf(t, g, true, true)
			for i, f := range fanouts {
				var ids []int64
				for id := int64(i); id < int64(g.NumEdges()) && len(ids) < 900; id += 1 + id%5 {
					ids = append(ids, id)
				}
				if len(ids) > 2 {
					ids = append(ids, ids[1])
				}
				m := bound(t, g, app.NeighborSampling{Fanouts: each(f...)})
				t.Run(fmt.Sprintf("%s/%v/%v", name, weighted, f), func(t *testing.T) {
					equalsDefinition(t, g, p, m, 5, batchOf(g), ids)
					m.Replace = true
					equalsDefinition(t, g, p, m, 6, batchOf(g), ids)
					equalsDefinition(t, g, p, m, 7, batchOf(g), nil)
				})
			}
			p.Close()
			g.Close()
		}
	}
}

func TestBatchesOfOneVertexAndOfNone(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(4, 3)})
	equalsDefinition(t, g, p, m, 1, nil, nil)
	equalsDefinition(t, g, p, m, 1, batchOf(g), nil)
	for v := range uint32(700) {
		equalsDefinition(t, g, p, m, 1, []uint32{v}, nil)
	}
	empty := graphtest.Make(0, false, nil)
	q := samplerOf(t, empty, true, true)
	equalsDefinition(t, empty, q, m, 1, nil, nil)
	q.Close()
	empty.Close()
}

// A batch does not depend on earlier ones of other sizes, even if the arena must grow in every hop.
func TestBatchesDoNotDependOnTheArena(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, true)
	defer g.Close()
	for _, dense := range []bool{true, false} {
		p := samplerOf(t, g, true, dense)
		m := bound(t, g, app.NeighborSampling{Fanouts: each(1, 30, -1, 2)})
		for _, last := range []int{0, 1, 100, 5000, 1 << 20} {
			for _, w := range p.workspaces {
				for i := range w.usage {
					w.usage[i] = last
				}
			}
			equalsDefinition(t, g, p, m, 3, batchOf(g), nil)
		}
		p.Close()
	}
}

// The arena of a large batch does not move for the nodes at its end, which would take three times the memory.
func TestBatchesDoNotMoveForTheirVertices(t *testing.T) {
	const fanout = 1 << 21
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(fanout), Replace: true})
	before := offheap.Used()
	offheap.ResetPeak()
	blocks, err := p.Sample(m, 1, seedsOf(batchOf(g)[:1], nil), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer blocks.Return()
	if peak := offheap.Peak() - before; peak > 2*16*fanout { // memory is lent in powers of two
		t.Errorf("peak of %d bytes for %d edges of 16 bytes", peak, fanout)
	}
}

func TestBatchesRefuse(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(4, 3)})
	long := make([]uint32, 600)
	for i := range long {
		long[i] = uint32(i)
	}
	long[599] = 2
	for _, c := range []struct {
		batch    []uint32
		excluded []int64
		kind     refuse.Kind
		text     string
	}{
		{[]uint32{1, 700}, nil, refuse.KindIndex, "seed_nodes[1] = 700"},
		{[]uint32{graph.None}, nil, refuse.KindIndex, "seed_nodes[0] = 4294967295"},
		{[]uint32{5, 7, 5, 8}, nil, refuse.KindValue, "seed_nodes[2] = 5: this vertex is also seed_nodes[0]"},
		{long, nil, refuse.KindValue, "seed_nodes[599] = 2: this vertex is also seed_nodes[2]"},
		{[]uint32{1}, []int64{3, -1}, refuse.KindIndex, "exclude[1] = -1"},
		{[]uint32{1}, []int64{9000}, refuse.KindIndex, "exclude[0] = 9000"},
	} {
		_, err := p.Sample(m, 1, seedsOf(c.batch, c.excluded), 1, nil)
		if refuse.KindOf(err) != c.kind || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%v, %v: %v", c.batch, c.excluded, err)
		}
		equalsDefinition(t, g, p, m, 1, batchOf(g), nil)
	}
}

// The workspace of a call that panicked is not used again.
func TestBatchesAfterPanic(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(4, 3)})
	rows := p.relations[0].rows
	p.relations[0].rows.Records, p.relations[0].rows.Indptr = nil, g.Indptr[:350]
	if _, err := p.Sample(m, 1, seedsOf(batchOf(g), nil), 1, nil); err == nil {
		t.Fatal("rows were cut, and no error came")
	}
	p.relations[0].rows = rows
	equalsDefinition(t, g, p, m, 1, batchOf(g), nil)
}

// A stopped call frees its memory, and its workspace serves the next call.
func TestBatchesStopped(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(4, -1)})
	if _, err := p.Sample(m, 1, seedsOf(batchOf(g), nil), 1, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Fatalf("error %v, expected %v", err, refuse.ErrInterrupted)
	}
	equalsDefinition(t, g, p, m, 1, batchOf(g), nil)
}

func TestBatchesFromManyThreads(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, true)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(10, 5)})
	var wg sync.WaitGroup
	for worker := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(20) {
				equalsDefinition(t, g, p, m, worker*100+i, batchOf(g)[i:], []int64{int64(i), 17})
			}
		})
	}
	wg.Wait()
}
