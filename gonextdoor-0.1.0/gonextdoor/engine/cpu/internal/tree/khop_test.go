package tree

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// treePlan returns a plan for KHop, with or without packed records.
func treePlan(t testing.TB, g *graph.Graph, a apps.KHop, packed bool) plan.Plan {
	t.Helper()
	b, err := a.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Plan{App: b, Selector: b.Selector(), Driver: app.DriverTree, Packed: packed}
	if err := plan.Prepare(b, g, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	return p
}

func matrix(a app.App, b plan.Batch) output.Matrix {
	m := output.Matrix{Width: a.Width(b.Roots.Width), Roots: b.Roots.Width}
	m.Vertices = make([]uint32, b.Roots.Samples()*m.Width)
	if b.Edges {
		m.Edges = make([]int64, b.Roots.Samples()*(m.Width-m.Roots))
	}
	return m
}

// definition returns the result of the serial definition.
func definition(g *graph.Graph, a app.App, b plan.Batch) output.Matrix {
	m := matrix(a, b)
	for i := range b.Roots.Samples() {
		row := a.Sample(g, rng.NewStream(b.Seed, rng.Choices).Key(b.First+uint64(i)), b.Roots.Of(i, make([]uint32, 1)), app.Row{})
		copy(m.Vertices[i*m.Width:], row.Vertices)
		for j, p := range row.Edges {
			if b.Edges && p != graph.NoEdge {
				m.Edges[i*len(row.Edges)+j] = int64(g.EdgeID(p))
			} else if b.Edges {
				m.Edges[i*len(row.Edges)+j] = -1
			}
		}
	}
	return m
}

func TestTreeEqualsDefinition(t *testing.T) {
	cputest.NoLeak(t)
	for _, weighted := range []bool{false, true} {
		for name, g := range cputest.Corpus(weighted) {
			for i, f := range [][]int{{}, {1}, {2, 3}, {15, 10}, {64, 2}, {100}, {5000}, {3, 2, 2, 2}} {
				for _, width := range []int{1, 3} {
					t.Run(fmt.Sprintf("%s/%v/%v/%d", name, weighted, f, width), func(t *testing.T) {
						equalTree(t, g, f, width, i)
					})
				}
			}
			g.Close()
		}
	}
}

func equalTree(t *testing.T, g *graph.Graph, fanouts []int, width, round int) {
	b := plan.Batch{
		Roots: plan.Roots{Count: min(g.NumVertices(), 80), Width: width, Repeat: 2},
		Seed:  uint64(round), First: 1 << 40, Edges: round%2 == 0,
	}
	if width > 1 {
		for i := range b.Roots.Count * width {
			b.Roots.Vertices = append(b.Roots.Vertices, uint32(i*i%g.NumVertices()))
		}
	}
	if len(fanouts) > 0 && fanouts[0] > 1000 {
		b.Roots.Count = min(b.Roots.Count, 5)
	}
	for _, replace := range []bool{false, true} {
		for _, packed := range []bool{false, true} {
			p := treePlan(t, g, apps.KHop{Fanouts: fanouts, Replace: replace}, packed)
			want := definition(g, p.App, b)
			for _, threads := range []int{1, 3} {
				b.Threads = threads
				got := matrix(p.App, b)
				var j job.Job
				if err := KHop(run.Options{}, p, g, b, got, &j); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Edges, want.Edges) {
					t.Fatalf("replace %v, packed %v, %d threads: not as defined", replace, packed, threads)
				}
				if j.Done != int64(b.Roots.Samples()) {
					t.Fatalf("%d samples counted, want %d", j.Done, b.Roots.Samples())
				}
			}
		}
	}
}

func TestTreeStops(t *testing.T) {
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := treePlan(t, g, apps.KHop{Fanouts: []int{2}}, true)
	b := plan.Batch{Roots: plan.Roots{Count: 700, Width: 1, Repeat: 1}}
	if err := KHop(run.Options{}, p, g, b, matrix(p.App, b), &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("stopped job: %v", err)
	}
}
