package cpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// rankGraphs are graphs with sinks, hubs, parallel edges, edges without a bias and vertices without an edge.
func rankGraphs(t testing.TB, weighted bool) map[string]*graph.Graph {
	spec := graph.RMAT{Scale: 9, EdgeFactor: 3, Seed: 5}
	if weighted {
		spec.Low, spec.High = 1, 9
	}
	rmat, err := spec.Graph()
	if err != nil || !rmat.HasSinks() {
		t.Fatal(err)
	}
	doubled := []graphtest.Edge{
		{From: 0, To: 1, Bias: 3}, {From: 0, To: 1, Bias: 1}, {From: 0, To: 0, Bias: 2}, {From: 1, To: 2, Bias: 1}, {From: 3, To: 0, Bias: 5},
		{From: 2, To: 3, Bias: 0}, {From: 4, To: 3, Bias: 0}, {From: 4, To: 1, Bias: 7},
	}
	graphs := map[string]*graph.Graph{
		"rmat": rmat, "doubled": graphtest.Make(6, weighted, doubled), "thicket": graphtest.Thicket(weighted),
		"one way": graphtest.OneWay(weighted), "lonely": graphtest.Lonely(weighted), "star": graphtest.Star(300, weighted),
	}
	return graphs
}

// starts are single vertices, and sets of some of them with weights or without.
func starts(g *graph.Graph, rows int, kind string) app.Personalization {
	n := uint32(g.NumVertices())
	p := app.Personalization{Rows: rows, Weighted: app.No}
	if kind == "single" {
		for r := range uint32(rows) {
			p.Vertices = append(p.Vertices, r*7%n)
		}
		return p
	}
	var edges []graphtest.Edge
	for r := range uint32(rows) {
		for k := range 1 + r%4 {
			edges = append(edges, graphtest.Edge{From: r, To: uint32(len(p.Vertices)), Bias: 1 + k*k})
			p.Vertices = append(p.Vertices, (r*5+k*11)%n)
		}
	}
	p.Sets = graphtest.Make(max(rows, len(p.Vertices)), kind == "weighted", edges)
	if kind == "weighted" {
		p.Weighted = app.Yes
		if err := p.Sets.MakeAlias(); err != nil {
			panic(err)
		}
	}
	return p
}

func scoresOf(t testing.TB, e Engine, s plan.Scores) output.Scores {
	t.Helper()
	got, err := e.Scores(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// ranked is a row as the serial definition counts it.
func ranked(s plan.Scores, row int) (vertices []uint32, counts map[uint32]app.Visits, total int64) {
	counts = s.App.Row(s.Graph, s.From, row, app.RowWalks(s.Seed, s.First+uint64(row)), uint64(s.Walks[row]))
	for v, c := range counts {
		vertices, total = append(vertices, v), total+int64(c.All)
	}
	slices.Sort(vertices)
	if s.TopK > 0 {
		slices.SortStableFunc(vertices, func(a, b uint32) int {
			score := func(v uint32) int64 { return int64(uint64(counts[v].All) * s.App.Unit(s.Graph, v)) }
			return int(max(-1, min(1, score(b)-score(a))))
		})
		vertices = vertices[:min(s.TopK, len(vertices))]
	}
	return vertices, counts, total
}

func equalsRanked(t *testing.T, s plan.Scores, got output.Scores) {
	t.Helper()
	at := int64(0)
	for row := range s.From.Rows {
		vertices, counts, total := ranked(s, row)
		if got.Offsets[row] != at || got.Offsets[row+1] != at+int64(len(vertices)) || got.Total[row] != total {
			t.Fatalf("row %d: entries %d to %d, %d visits; expected %d from %d, %d visits",
				row, got.Offsets[row], got.Offsets[row+1], got.Total[row], len(vertices), at, total)
		}
		for i, v := range vertices {
			k := int(at) + i
			if c := counts[v]; got.Vertices[k] != v || got.Visits[k] != c.All || got.Walks[k] != c.Walks {
				t.Fatalf("row %d, entry %d: vertex %d, %d visits of %d walks; expected %d, %v",
					row, i, got.Vertices[k], got.Visits[k], got.Walks[k], v, c)
			}
		}
		at += int64(len(vertices))
	}
}

// Every engine, number of threads and order of entries gives the counts of the serial definition.
func TestScoresEqualSerial(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		for name, g := range rankGraphs(t, weighted) {
			for _, stop := range []float64{0.02, 0.15, 1} {
				for _, sinks := range []app.Sinks{app.SinkRestarts, app.SinkStops} {
					for i, kind := range []string{"single", "sets", "weighted"} {
						t.Run(fmt.Sprintf("%v/%s/%v/%s/%s", weighted, name, stop, sinks, kind), func(t *testing.T) {
							a, err := (&app.PageRank{Stop: stop, Sinks: sinks}).Bind(g)
							if err != nil {
								t.Fatal(err)
							}
							s := plan.Scores{App: a, Graph: g, From: starts(g, 9, kind), Seed: 11, First: 5, TopK: i * 3}
							for row := range s.From.Rows {
								s.Walks = append(s.Walks, int64(row%4*60))
							}
							for e, engine := range []Engine{{}, {Narrow: true}, {Pure: true}} {
								s.Threads = []int{1, 2, 20}[e]
								got := scoresOf(t, engine, s)
								equalsRanked(t, s, got)
								got.Return()
							}
						})
					}
				}
			}
		}
	}
}

// Rows of several pieces of walks, whose threads share them or not, and of walks of several legs.
func TestScoresOfManyWalks(t *testing.T) {
	g := rankGraphs(t, false)["rmat"]
	for _, stop := range []float64{0.005, 0.2} {
		a, err := (&app.PageRank{Stop: stop}).Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		s := plan.Scores{App: a, Graph: g, From: starts(g, 3, "single"), Walks: []int64{5000, 0, 2049}, Seed: 3}
		for _, s.Threads = range []int{1, 3, 8} {
			got := scoresOf(t, Engine{}, s)
			equalsRanked(t, s, got)
			got.Return()
		}
	}
}

func TestScoresStop(t *testing.T) {
	g := rankGraphs(t, false)["rmat"]
	a, err := (&app.PageRank{Stop: 0.2}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Scores{App: a, Graph: g, From: starts(g, 3, "single"), Walks: []int64{1, 1, 1}}
	for _, s.Threads = range []int{1, 8} {
		if _, err := (Engine{}).Scores(s, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("%d threads: %v", s.Threads, err)
		}
	}
}

// BenchmarkScores gives seeds a second: 1,000 walks each, one thread.
func BenchmarkScores(b *testing.B) {
	g, err := walkGraph()
	if err != nil {
		b.Fatal(err)
	}
	a, err := (&app.PageRank{Stop: 0.15, Weighted: app.No}).Bind(g)
	if err != nil {
		b.Fatal(err)
	}
	s := plan.Scores{App: a, Graph: g, From: starts(g, 200, "single"), Walks: slices.Repeat([]int64{1000}, 200), Threads: 1}
	for b.Loop() {
		scoresOf(b, Engine{}, s).Return()
	}
	b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "seeds/s")
}
