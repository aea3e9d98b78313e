package cpu

import (
	"errors"
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// crewGraph is large enough for several threads to draw a hop.
func crewGraph(t testing.TB) *graph.Graph {
	t.Helper()
	g, err := build.RMAT{Scale: 13, EdgeFactor: 8, Symmetric: true}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A batch is the same on any number of threads, in a workspace that has learned nothing and in one that has.
func TestBlocksOnManyThreads(t *testing.T) {
	noLeak(t)
	g := crewGraph(t)
	defer g.Close()
	h := graph.Homogeneous(g)
	batch := app.Seeds{Vertices: [][]uint32{someVertices(g, 2000, 1)}}
	for kind := range 16 {
		for _, f := range [][]int{{15, 10}, {3, 2}, {30}, {-1}} {
			m := &app.MiniBatch{Fanouts: each(f...), Weighted: app.No, Replace: kind&1 != 0, Disjoint: kind&2 != 0, Expand: app.Met, Layout: app.CSC}
			if kind&4 != 0 {
				m.Expand = app.New
			}
			if kind&8 != 0 {
				m.Layout = app.COO
			}
			t.Run(fmt.Sprintf("%+v", *m), func(t *testing.T) {
				p, err := NewWorkspaces(h)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				p.Sparse, p.Narrow = kind%3 == 0, kind%5 == 0
				want, err := p.Blocks(m, 1, batch, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer want.Return()
				q, err := NewWorkspaces(h)
				if err != nil {
					t.Fatal(err)
				}
				defer q.Close()
				q.Sparse, q.Narrow = p.Sparse, p.Narrow
				for _, threads := range []int{2, 7, 2} {
					got, err := q.BlocksOn(threads, m, 1, batch, nil)
					if err != nil {
						t.Fatal(err)
					}
					sameBlocks(t, got, want)
					got.Return()
				}
			})
		}
	}
}

// Lists that must grow in the middle of a hop, because an earlier batch needed less, leave no trace.
func TestBlocksDoNotDependOnWhatWasLearned(t *testing.T) {
	noLeak(t)
	two := twoTypes(false)
	defer func() {
		for _, r := range two.Relations {
			r.Graph.Close()
		}
	}()
	for kind := range 8 {
		m := &app.MiniBatch{Weighted: app.No, Expand: app.New, Layout: []app.Layout{app.CSC, app.COO}[kind&1], Disjoint: kind&2 != 0}
		if kind&4 != 0 {
			m.Expand = app.Met
		}
		m.Fanouts = [][]int{{3, 7, -1, 2}, {20, 1, 4, 0}, {2, 9, 3, 3}}
		s := someSeeds(two, 60, m.Disjoint)
		p, err := NewWorkspaces(two)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Blocks(m, 1, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, learned := range []int{0, 1, 10, 100, 1000, 1 << 20} {
			for i := range p.free[0].learned {
				p.free[0].learned[i] = (learned + i*i) % (learned + 7)
			}
			got, err := p.Blocks(m, 1, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			sameBlocks(t, got, want)
			got.Return()
		}
		want.Return()
		p.Close()
	}
}

// A thread that panics, and a job that is stopped, end all of them.
func TestBlocksOnManyThreadsEnd(t *testing.T) {
	noLeak(t)
	g := crewGraph(t)
	defer g.Close()
	p, err := newWorkspaces(graph.Homogeneous(g), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := bound(t, g, app.MiniBatch{Fanouts: each(4, 3)})
	batch := app.Seeds{Vertices: [][]uint32{someVertices(g, 2000, 1)}}
	if _, err := p.BlocksOn(3, m, 1, batch, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected %v", err, refuse.ErrInterrupted)
	}
	rows := p.relations[0].rows
	p.relations[0].rows.indptr = g.Indptr[:4000]
	if _, err := p.BlocksOn(3, m, 1, batch, nil); err == nil {
		t.Error("rows were cut, and no error came")
	}
	p.relations[0].rows = rows
	out, err := p.BlocksOn(3, m, 1, batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.Return()
}

func BenchmarkBlocksOnThreads(b *testing.B) {
	g := benchGraph(b)
	p, err := NewWorkspaces(graph.Homogeneous(g))
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	m := &app.MiniBatch{Fanouts: each(15, 10, 5), Weighted: app.No, Expand: app.New, Layout: app.COO}
	batches := make([]app.Seeds, 16)
	for i := range batches {
		batches[i] = app.Seeds{Vertices: [][]uint32{someVertices(g, 1024, uint64(i))}}
	}
	for _, threads := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			edges, begin := 0, processorTime()
			for i := 0; b.Loop(); i++ {
				out, err := p.BlocksOn(threads, m, uint64(i), batches[i%16], nil)
				if err != nil {
					b.Fatal(err)
				}
				edges += len(out.Pairs[0].Sources)
				out.Return()
			}
			perSecond(b, edges)
			b.ReportMetric((processorTime()-begin)/float64(max(edges, 1)), "cpu-ns/edge")
		})
	}
}
