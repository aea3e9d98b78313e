package neighbor

import (
	"errors"
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// parallelGraph returns a graph large enough for parallel expansion.
func parallelGraph(t testing.TB) *graph.Graph {
	t.Helper()
	g, err := build.RMAT{Scale: 13, EdgeFactor: 8, Symmetric: true}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A batch does not depend on the number of threads, in a new workspace and in one that has recorded its usage.
func TestBatchesOnManyThreads(t *testing.T) {
	cputest.NoLeak(t)
	g := parallelGraph(t)
	defer g.Close()
	h := graph.Homogeneous(g)
	batch := app.SeedNodes{Vertices: [][]uint32{cputest.SomeVertices(g, 2000, 1)}}
	for kind := range 16 {
		for _, f := range [][]int{{15, 10}, {3, 2}, {30}, {-1}} {
			m := &app.NeighborSampling{Fanouts: each(f...), Weighted: app.No, Replace: kind&1 != 0, Disjoint: kind&2 != 0, Expand: app.ExpandAll, Layout: app.CSC}
			if kind&4 != 0 {
				m.Expand = app.ExpandNew
			}
			if kind&8 != 0 {
				m.Layout = app.COO
			}
			t.Run(fmt.Sprintf("%+v", *m), func(t *testing.T) { sameOnManyThreads(t, h, m, batch, kind%3 == 0, kind%5 == 0) })
		}
	}
}

// sameOnManyThreads checks that a batch does not depend on the number of threads.
func sameOnManyThreads(t *testing.T, h *graph.Hetero, m *app.NeighborSampling, batch app.SeedNodes, hash, noAVX512 bool) {
	t.Helper()
	p, err := NewSampler(h)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.HashIDs, p.NoAVX512 = hash, noAVX512
	want, err := p.Sample(m, 1, batch, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Return()
	q, err := NewSampler(h)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.HashIDs, q.NoAVX512 = hash, noAVX512
	for _, threads := range []int{2, 7, 2} {
		got, err := q.Sample(m, 1, batch, threads, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameBatch(t, got, want)
		got.Return()
	}
}

// A batch does not depend on the recorded usage, even if lists must grow within a hop.
func TestBatchesDoNotDependOnWhatWasLearned(t *testing.T) {
	cputest.NoLeak(t)
	two := twoTypes(false)
	defer func() {
		for _, r := range two.Relations {
			r.Graph.Close()
		}
	}()
	for kind := range 8 {
		m := &app.NeighborSampling{Weighted: app.No, Expand: app.ExpandNew, Layout: []app.Layout{app.CSC, app.COO}[kind&1], Disjoint: kind&2 != 0}
		if kind&4 != 0 {
			m.Expand = app.ExpandAll
		}
		m.Fanouts = [][]int{{3, 7, -1, 2}, {20, 1, 4, 0}, {2, 9, 3, 3}}
		s := someSeeds(two, 60, m.Disjoint)
		p, err := NewSampler(two)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Sample(m, 1, s, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, learned := range []int{0, 1, 10, 100, 1000, 1 << 20} {
			for i := range p.workspaces[0].usage {
				p.workspaces[0].usage[i] = (learned + i*i) % (learned + 7)
			}
			got, err := p.Sample(m, 1, s, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			sameBatch(t, got, want)
			got.Return()
		}
		want.Return()
		p.Close()
	}
}

// A panic of one thread and a stopped job end all threads.
func TestBatchesOnManyThreadsEnd(t *testing.T) {
	cputest.NoLeak(t)
	g := parallelGraph(t)
	defer g.Close()
	p, err := newSampler(graph.Homogeneous(g), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := bound(t, g, app.NeighborSampling{Fanouts: each(4, 3)})
	batch := app.SeedNodes{Vertices: [][]uint32{cputest.SomeVertices(g, 2000, 1)}}
	if _, err := p.Sample(m, 1, batch, 3, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected %v", err, refuse.ErrInterrupted)
	}
	rows := p.relations[0].rows
	p.relations[0].rows.Indptr = g.Indptr[:4000]
	if _, err := p.Sample(m, 1, batch, 3, nil); err == nil {
		t.Error("rows were cut, and no error came")
	}
	p.relations[0].rows = rows
	out, err := p.Sample(m, 1, batch, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.Return()
}

func BenchmarkBatchesOnThreads(b *testing.B) {
	g := cputest.BenchGraph(b)
	p, err := NewSampler(graph.Homogeneous(g))
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	m := &app.NeighborSampling{Fanouts: each(15, 10, 5), Weighted: app.No, Expand: app.ExpandNew, Layout: app.COO}
	batches := make([]app.SeedNodes, 16)
	for i := range batches {
		batches[i] = app.SeedNodes{Vertices: [][]uint32{cputest.SomeVertices(g, 1024, uint64(i))}}
	}
	for _, threads := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			edges, begin := 0, cputest.CPUTime()
			for i := 0; b.Loop(); i++ {
				out, err := p.Sample(m, uint64(i), batches[i%16], threads, nil)
				if err != nil {
					b.Fatal(err)
				}
				edges += len(out.Pairs[0].Sources)
				out.Return()
			}
			cputest.PerSecond(b, edges)
			b.ReportMetric((cputest.CPUTime()-begin)/float64(max(edges, 1)), "cpu-ns/edge")
		})
	}
}
